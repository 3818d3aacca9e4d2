"""How long imports take, warm: the shortest of five processes."""

import subprocess
import sys
import time

STATEMENTS = ("import skldl", "from skldl.ldl import AAkNN", "import sklearn.neighbors")

if __name__ == "__main__":
    for statement in STATEMENTS:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            times.append(time.perf_counter() - start)
        print(f"{statement}: {min(times):.2f} s")
