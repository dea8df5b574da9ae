#!/usr/bin/env python3
"""Judges the output of examples/flight-delays.yaml: computes the same report from the flights
without any of Weir's code and compares every row.

usage: scripts/demo_check.py FLIGHTS_NDJSON OUTPUT_DIR   compares, prints a few rows of both
       scripts/demo_check.py --rows FLIGHTS_NDJSON       prints how many rows the report has
"""

import collections
import csv
import datetime
import json
import math
import os
import sys

COLUMNS = ["origin", "window_start", "window_end", "flights", "avg_delay", "worst_delay"]
PART_PREFIX = "part-"
TEMPORARY_PREFIX = ".part-"
SHOWN_ROWS = 5
SHOWN_DIFFERENCES = 10
DAY = datetime.timedelta(days=1)

Report = collections.namedtuple("Report", COLUMNS[2:])


class OutputError(Exception):
    """A committed file cannot be read as the report."""


def expected_report(flights_path):
    """(origin, start of day in UTC) -> what the report must say of it."""
    delays = collections.defaultdict(list)
    with open(flights_path, encoding="utf-8") as file:
        for line in file:
            flight = json.loads(line)
            moment = datetime.datetime.strptime(flight["date"], "%Y/%m/%d %H:%M")
            day = datetime.datetime(moment.year, moment.month, moment.day)
            delays[flight["origin"], day].append(flight["delay"])
    return {
        (origin, day): Report(day + DAY, len(values), sum(values) / len(values), max(values))
        for (origin, day), values in delays.items()
    }


def parse_time(text):
    """An instant as ISO 8601, in UTC; the zone may be written as Z, +00 or +00:00."""
    for zone in ("Z", "+00:00", "+00"):
        text = text.removesuffix(zone)
    return datetime.datetime.fromisoformat(text)


def read_part(path):
    """The rows of one committed file, with or without a header line."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    order = COLUMNS
    if rows and rows[0] and set(rows[0]) == set(COLUMNS):
        order = rows.pop(0)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(COLUMNS):
            raise OutputError(f"{path}: row {number} has {len(row)} columns, not {len(COLUMNS)}")
        named = dict(zip(order, row))
        try:
            key = (named["origin"], parse_time(named["window_start"]))
            yield key, Report(
                parse_time(named["window_end"]),
                int(named["flights"]),
                float(named["avg_delay"]),
                int(named["worst_delay"]),
            )
        except ValueError as error:
            raise OutputError(f"{path}: row {number}: {error}") from error


def committed_rows(output_dir):
    """Every row of every committed file, as often as it stands there."""
    rows = []
    for name in sorted(os.listdir(output_dir)):
        path = os.path.join(output_dir, name)
        if name.startswith(TEMPORARY_PREFIX):
            raise OutputError(f"{path}: an uncommitted file was left behind")
        if name.startswith(PART_PREFIX):
            rows += read_part(path)
    return rows


def same_report(one, other):
    exact = one._replace(avg_delay=None) == other._replace(avg_delay=None)
    return exact and math.isclose(one.avg_delay, other.avg_delay, rel_tol=1e-12, abs_tol=1e-12)


def differences(expected, rows):
    """One line per row that is missing, wrong, unknown or there more than once."""
    found = []
    counts = collections.Counter(key for key, _ in rows)
    for key, times in sorted(counts.items()):
        if times > 1:
            found.append(f"{name_of(key)}: written {times} times")
    for key, report in sorted(rows):
        if key not in expected:
            found.append(f"{name_of(key)}: no such flights")
        elif not same_report(expected[key], report):
            found.append(f"{name_of(key)}: {tuple_of(report)}, not {tuple_of(expected[key])}")
    found += [f"{name_of(key)}: missing" for key in sorted(expected.keys() - counts.keys())]
    return found


def name_of(key):
    return f"{key[0]} {key[1]:%Y-%m-%d}"


def tuple_of(report):
    return f"({report.flights}, {report.avg_delay:.12g}, {report.worst_delay})"


def print_sample(title, rows):
    """A few rows spread over the report."""
    print(f"  {title:<28} flights  avg delay  worst")
    keys = sorted(rows)
    for key in keys[:: max(1, len(keys) // SHOWN_ROWS)][:SHOWN_ROWS]:
        report = rows[key]
        line = f"{report.flights:>7} {report.avg_delay:>10.3f} {report.worst_delay:>6}"
        print(f"    {name_of(key):<26} {line}")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--rows":
        print(len(expected_report(arguments[1])))
        return 0
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    expected = expected_report(arguments[0])
    try:
        rows = committed_rows(arguments[1])
    except OutputError as error:
        print(f"exactly once: FAILED: {error}")
        return 1
    print_sample("committed by weir", dict(rows))
    print_sample("computed apart from it", expected)
    wrong = differences(expected, rows)
    flights = sum(report.flights for _, report in rows)
    print(f"  {len(rows)} rows over {flights} flights; {len(expected)} rows expected")
    if wrong:
        for line in wrong[:SHOWN_DIFFERENCES]:
            print(f"  {line}")
        print(f"exactly once: FAILED: {len(wrong)} differences")
        return 1
    print("exactly once: OK")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
