"""The jobs that end-to-end tests run, each with an oracle of its own."""

import collections
import re
import subprocess
import sys

import weir_process as wp

TEXT = wp.ROOT / "examples/data/opticks.txt"
FLIGHTS = wp.ROOT / "examples/data/flights.ndjson"


class WordCount:
    """examples/word-count.yaml, slowed down."""

    name = "word-count"

    def __init__(self, scratch, interval="40ms", rate="2500/s"):
        self.out = scratch / "counts"
        text = (wp.ROOT / "examples/word-count.yaml").read_text()
        assert "scan: once" in text
        text = text.replace("scan: once", f"rate: {rate}\n      scan: once", 1)
        self.descriptor = scratch / "word-count.yaml"
        self.descriptor.write_text(text)
        self.env = {"INPUT": str(TEXT), "OUT": str(self.out), "CHECKPOINT_INTERVAL": interval}

    def check(self, test):
        expected = collections.Counter()
        for line in TEXT.read_text().splitlines():
            expected.update(re.findall("[a-z]+", line.lower()))
        rows = wp.csv_rows(self.out)
        counted = {word: int(n) for word, n in rows}
        test.assertEqual(len(rows), len(counted), "a word has two final rows")
        test.assertEqual(counted, dict(expected))


class FlightDelays:
    """examples/flight-delays.yaml, as it is."""

    name = "flight-delays"

    def __init__(self, scratch, interval="40ms", rate="9000/s"):
        self.out = scratch / "delays"
        self.descriptor = wp.ROOT / "examples/flight-delays.yaml"
        self.env = {"FLIGHTS": str(FLIGHTS), "OUT": str(self.out), "RATE": rate,
                    "CHECKPOINT_INTERVAL": interval}

    def check(self, test):
        checked = subprocess.run(
            [sys.executable, str(wp.ROOT / "scripts/demo_check.py"), str(FLIGHTS), str(self.out)],
            capture_output=True, text=True, check=False, timeout=60)
        test.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


KEYED_COUNT = """
weir: 1
name: keyed-count
settings:
  parallelism: 2
  checkpointing: {{interval: {interval}}}
types:
  number:
    n: int64 not null
sources:
  numbers:
    connector: datagen
    options:
      count: {count}
      rate: {rate}
      fields:
        n: {{kind: sequence, start: 0, step: 1}}
    schema: number
transforms:
  counts:
    type: aggregate
    input: numbers
    key_by: {{k: "n % {keys}"}}
    aggregates:
      c: count(*)
      s: sum(n)
sinks:
  out:
    connector: file
    input: counts
    changelog: log
    options: {{path: {out}}}
    format: json
"""


class KeyedCount:
    """A count per key that is updated for ever; the sink keeps the whole change log."""

    name = "keyed-count"
    keys = 101

    def __init__(self, scratch, interval="40ms", rate="30000/s", count=50000):
        self.count = count
        self.out = scratch / "changes"
        self.descriptor = scratch / "keyed-count.yaml"
        self.descriptor.write_text(KEYED_COUNT.format(interval=interval, rate=rate, count=count,
                                                      keys=self.keys, out=self.out))
        self.env = {}

    def check(self, test):
        last = {}
        before = {}
        for row in wp.json_rows(self.out):
            op, key = row.pop("_op"), row["k"]
            if op == "insert":
                test.assertNotIn(key, last, "a key is inserted twice")
                last[key] = row
            elif op == "update_before":
                test.assertEqual(row, last.get(key), "an update does not follow the row before it")
                before[key] = row
            else:
                test.assertEqual(op, "update_after")
                test.assertIsNotNone(before.pop(key, None), "an update without its before")
                last[key] = row
        test.assertFalse(before, "an update without its after")
        expected = {}
        for n in range(self.count):
            row = expected.setdefault(n % self.keys, {"k": n % self.keys, "c": 0, "s": 0})
            row["c"] += 1
            row["s"] += n
        test.assertEqual(last, expected)


ALL = [WordCount, FlightDelays, KeyedCount]
