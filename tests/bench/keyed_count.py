#!/usr/bin/env python3
"""Events per CPU-second of a keyed count: datagen -> hash edge -> count -> blackhole, the whole
process measured from outside, with this machine's own limits beside it.

usage: tests/bench/keyed_count.py [WEIR]     (default: build/release/bin/weir)

Prints medians of five interleaved runs. Never passes or fails anything.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 5
JOB = """
weir: 1
name: keyed-count
settings: {{parallelism: 2}}
types:
  row: {{k: int64 not null}}
sources:
  rows:
    connector: datagen
    options:
      count: {rows}
      fields:
        k: {{kind: random, min: 0, max: {last_key}}}
    schema: row
transforms:
  counts:
    type: aggregate
    input: rows
    key_by: [k]
    aggregates: {{n: count(*)}}
    emit: {emit}
sinks:
  out: {{connector: blackhole, input: counts, changelog: {changelog}}}
"""
CASES = [
    ("1 M keys, final counts", 20_000_000, 1_000_000, "at_end", "append"),
    ("1 M keys, every change", 20_000_000, 1_000_000, "updating", "log"),
    ("10 M keys, final counts", 40_000_000, 10_000_000, "at_end", "append"),
]


def cpu_seconds(command):
    """CPU and wall seconds, and peak memory in bytes, of one child process."""
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - started
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{message.decode()}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024


def memcpy_rate():
    """Bytes per second of a large copy."""
    block = bytearray(256 << 20)
    started = time.perf_counter()
    bytes(block)
    return len(block) / (time.perf_counter() - started)


def main():
    weir = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/bin/weir")
    results = {name: [] for name, *_ in CASES}
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(RUNS):
            for name, rows, keys, emit, changelog in CASES:
                job = pathlib.Path(scratch) / "job.yaml"
                job.write_text(JOB.format(rows=rows, last_key=keys - 1, emit=emit,
                                          changelog=changelog))
                cpu, wall, peak = cpu_seconds([weir, "local", "run", str(job)])
                results[name].append((rows / cpu, rows / wall, peak))
    print(f"{'case':28} {'M rows/CPU-s':>14} {'min..max':>14} {'M rows/s':>10} {'peak MB':>9}")
    for name, runs in results.items():
        per_cpu = sorted(run[0] / 1e6 for run in runs)
        print(f"{name:28} {statistics.median(per_cpu):14.1f} "
              f"{per_cpu[0]:6.1f}..{per_cpu[-1]:<6.1f} "
              f"{statistics.median(run[1] for run in runs) / 1e6:10.1f} "
              f"{max(run[2] for run in runs) / 1e6:9.0f}")
    # Last: a child begins with its parent's peak memory.
    copies = [memcpy_rate() for _ in range(RUNS)]
    print(f"machine: memcpy of fresh memory {statistics.median(copies) / 1e9:.1f} GB/s")


if __name__ == "__main__":
    main()
