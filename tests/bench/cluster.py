#!/usr/bin/env python3
"""What a cluster of one jobmanager and two taskmanagers costs and how fast it moves: idle memory,
start to first record, kill -9 to first record, round trips of checkpoints with tiny state, and a
keyed count over the network; this machine's own limits beside them.

usage: tests/bench/cluster.py [BIN_DIR [SECONDS_OF_CHECKPOINTS]]
       (default: build/release/bin, 60)

Prints medians of five runs and their range. Never passes or fails anything.
"""

import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release/bin"
CHECKPOINT_SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
RUNS = 5
PATIENCE_SECONDS = 120

KEYED_COUNT = """
weir: 1
name: keyed-count
settings: {{parallelism: 2}}
types:
  row: {{k: int64 not null}}
sources:
  rows:
    connector: datagen
    options: {{count: {rows}, fields: {{k: {{kind: random, min: 0, max: 999999}}}}}}
    schema: row
transforms:
  counts: {{type: aggregate, input: rows, key_by: [k], aggregates: {{n: count(*)}}, emit: at_end}}
sinks:
  out: {{connector: blackhole, input: counts}}
"""
# Rows of their own rate for as long as it takes, their state two numbers.
STEADY = """
weir: 1
name: steady
settings:
  parallelism: 2
  checkpointing: {{interval: {interval}}}
  restart: {{strategy: fixed_delay, delay: 0s}}
types:
  row: {{n: int64 not null}}
sources:
  rows:
    connector: datagen
    options: {{rate: {rate}, fields: {{n: {{kind: sequence, start: 0, step: 1}}}}}}
    schema: row
transforms:
  counts:
    type: aggregate
    input: rows
    key_by: {{k: "n % 2"}}
    aggregates: {{c: count(*)}}
sinks:
  out: {{connector: {sink}, input: counts, changelog: log}}
"""


def wait_for(condition, what):
    """The first answer that holds; asks every two milliseconds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            sys.exit(f"waited too long for {what}")
        time.sleep(0.002)


class Daemon:
    def __init__(self, stack, program, settings):
        command = [str(BIN / program)]
        for setting in settings:
            command += ["-D", setting]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        stack.callback(self.kill)
        line = self.process.stdout.readline().decode()
        if " ready " not in line:
            sys.exit(f"{program} did not start")
        self.addresses = dict(word.split("=", 1) for word in line.split()[2:])
        os.set_blocking(self.process.stdout.fileno(), False)

    def drain(self):
        """Bytes that the process has written since the last call; rows, if a sink writes there."""
        with contextlib.suppress(BlockingIOError):
            return len(os.read(self.process.stdout.fileno(), 1 << 20))
        return 0

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")


class Cluster:
    def __init__(self, stack, taskmanagers=2, slots=1):
        self.stack = stack
        self.scratch = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.settings = [f"state.checkpoints.dir={self.scratch / 'checkpoints'}",
                         "logging.level=error"]
        self.jobmanager = Daemon(stack, "weir-jobmanager",
                                 [*self.settings, "jobmanager.rpc.port=0", "rest.port=0"])
        self.url = f"http://{self.jobmanager.addresses['http']}"
        self.taskmanagers = [self.start_taskmanager(slots) for _ in range(taskmanagers)]

    def start_taskmanager(self, slots=1):
        port = self.jobmanager.addresses["rpc"].rpartition(":")[2]
        return Daemon(self.stack, "weir-taskmanager",
                      [*self.settings, f"jobmanager.rpc.port={port}", "taskmanager.data.port=0",
                       "metrics.prometheus.port=0", f"taskmanager.slots={slots}"])

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE_SECONDS) as answer:
            return json.load(answer)

    def submit(self, text):
        job = self.scratch / "job.yaml"
        job.write_text(text)
        done = subprocess.run([str(BIN / "weir"), "run", str(job), "--detach"], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "WEIR_JOBMANAGER": self.url})
        if done.returncode != 0:
            sys.exit(done.stderr)
        return done.stdout.strip()

    def job(self, job_id):
        return self.get(f"/v1/jobs/{job_id}")["job"]

    def drain(self):
        return sum(one.drain() for one in self.taskmanagers)


def show(name, values, unit):
    print(f"{name:44} {statistics.median(values):10.1f}  "
          f"{min(values):.1f}..{max(values):.1f} {unit}")


def start_to_first_record():
    """Milliseconds from the start of the first daemon to the first row of a job."""
    with contextlib.ExitStack() as stack:
        started = time.monotonic()
        cluster = Cluster(stack)
        cluster.submit(STEADY.format(interval="1s", rate="1000/s", sink="stdout"))
        wait_for(cluster.drain, "rows")
        return (time.monotonic() - started) * 1000


def kill_to_first_record():
    """Milliseconds from the SIGKILL of a taskmanager, a spare one ready, to rows again."""
    with contextlib.ExitStack() as stack:
        cluster = Cluster(stack, taskmanagers=3)
        job_id = cluster.submit(STEADY.format(interval="50ms", rate="1000/s", sink="stdout"))
        wait_for(lambda: cluster.drain() + 1 and
                 cluster.job(job_id)["checkpoints"]["completed"] > 3, "checkpoints")
        used = {one["taskmanager"] for one in cluster.get(f"/v1/jobs/{job_id}")["subtasks"]}
        victim = next(one for one in cluster.taskmanagers if any(one.addresses["id"].startswith(short) for short in used))
        cluster.taskmanagers.remove(victim)
        victim.process.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        wait_for(lambda: cluster.job(job_id)["restarts"] > 0, "the restart")
        cluster.drain()  # what was written before the restart
        wait_for(cluster.drain, "rows")
        return (time.monotonic() - killed) * 1000


def checkpoints_per_second():
    """(completed per second, failed, median round trip in ms) with an interval of 10 ms."""
    with contextlib.ExitStack() as stack:
        cluster = Cluster(stack)
        job_id = cluster.submit(STEADY.format(interval="10ms", rate="1000/s", sink="blackhole"))
        wait_for(lambda: cluster.job(job_id)["checkpoints"]["completed"] > 10, "checkpoints")
        begin, begun = cluster.job(job_id)["checkpoints"], time.monotonic()
        time.sleep(CHECKPOINT_SECONDS)
        end, ended = cluster.job(job_id)["checkpoints"], time.monotonic()
        history = cluster.get(f"/v1/jobs/{job_id}/checkpoints")["checkpoints"]
        durations = [one["duration_ms"] for one in history if one["status"] == "COMPLETED"]
        return ((end["completed"] - begin["completed"]) / (ended - begun),
                end["failed"] - begin["failed"], statistics.median(durations))


def keyed_count(rows=20_000_000):
    """Million rows per CPU-second of both taskmanagers together."""
    with contextlib.ExitStack() as stack:
        cluster = Cluster(stack)
        before = sum(one.cpu_seconds() for one in cluster.taskmanagers)
        job_id = cluster.submit(KEYED_COUNT.format(rows=rows))
        wait_for(lambda: cluster.job(job_id)["state"] in ("FINISHED", "FAILED"), "the end")
        if cluster.job(job_id)["state"] != "FINISHED":
            sys.exit(cluster.job(job_id)["cause"])
        cpu = sum(one.cpu_seconds() for one in cluster.taskmanagers) - before
        return rows / cpu / 1e6


def sync_milliseconds():
    """One small file written, synced and renamed, its directory synced: what a record costs."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = os.open(scratch, os.O_RDONLY)
        started = time.perf_counter()
        path = os.path.join(scratch, "file")
        file = os.open(path, os.O_CREAT | os.O_WRONLY)
        os.write(file, b"x" * 1000)
        os.fsync(file)
        os.close(file)
        os.rename(path, path + "2")
        os.fsync(directory)
        elapsed = time.perf_counter() - started
        os.close(directory)
        return elapsed * 1000


def main():
    with contextlib.ExitStack() as stack:
        cluster = Cluster(stack)
        print(f"idle: jobmanager {cluster.jobmanager.resident_bytes() / 1e6:.1f} MB, taskmanager "
              f"{cluster.taskmanagers[0].resident_bytes() / 1e6:.1f} MB resident")
    show("cluster start to first record", [start_to_first_record() for _ in range(RUNS)], "ms")
    show("kill -9 of a taskmanager to first record", [kill_to_first_record() for _ in range(RUNS)],
         "ms")
    show("keyed count, 1 M keys", [keyed_count() for _ in range(RUNS)], "M rows/CPU-s")
    rate, failed, duration = checkpoints_per_second()
    print(f"checkpoints, tiny state, {CHECKPOINT_SECONDS:.0f} s: {rate:.1f} a second, {failed} "
          f"failed, median round trip {duration:.2f} ms")
    show("machine: write, sync, rename, sync", [sync_milliseconds() for _ in range(20)], "ms")


if __name__ == "__main__":
    main()
