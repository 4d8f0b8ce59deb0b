from __future__ import annotations
import sys, time
from tests.simulation.node import patch
from tests.simulation.run import run

patch()
lo, hi = int(sys.argv[1]), int(sys.argv[2])
for seed in range(lo, hi):
    t = time.perf_counter()
    o = run(seed, tracing=len(sys.argv) > 3)
    if len(sys.argv) > 3:
        print("\n".join(o.lines))
    print(seed, o.broken, sum(o.counted.values()), round(time.perf_counter() - t, 3))
