"""``python -m skldl`` is the ``skldl`` command."""

from skldl.cli import main

if __name__ == "__main__":
    main()
