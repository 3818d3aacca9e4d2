"""The figures of the papers: a module per paper, rows first and pictures last."""
