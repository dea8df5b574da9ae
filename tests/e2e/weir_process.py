"""Runs the real `weir` command and reads what it leaves on disk."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = os.environ.get("WEIR_BIN", str(ROOT / "build/release/bin/weir"))
RUN_SECONDS_MAX = 60
POLL_SECONDS = 0.005


def seeds(default_count):
    """Seeds of a randomised test: one of WEIR_TEST_SEED, else fresh ones."""
    given = os.environ.get("WEIR_TEST_SEED")
    if given:
        return [int(given)]
    count = int(os.environ.get("WEIR_E2E_RUNS", default_count))
    return [random.SystemRandom().randrange(1 << 32) for _ in range(count)]


class Run:
    """One `weir` process under way."""

    def __init__(self, test, args, env=None, cwd=None):
        log, self.log_path = tempfile.mkstemp(prefix="weir-e2e-log-")
        self.process = subprocess.Popen(
            [WEIR, *map(str, args)], cwd=cwd or ROOT, env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True)
        os.close(log)
        test.addCleanup(self.clean_up)

    def ended(self, within=POLL_SECONDS):
        try:
            self.process.wait(timeout=within)
            return True
        except subprocess.TimeoutExpired:
            return False

    def wait_until(self, condition, what):
        """Returns True once `condition` holds, False if the process ended before."""
        deadline = time.monotonic() + RUN_SECONDS_MAX
        while not condition():
            if self.ended():
                return condition()
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"waited too long for {what}:\n{self.output()}")
        return True

    def kill(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(timeout=RUN_SECONDS_MAX)

    def finish(self):
        """Waits for the end. Returns the exit code."""
        try:
            return self.process.wait(timeout=RUN_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the run did not end:\n{self.output()}") from None

    def output(self):
        return pathlib.Path(self.log_path).read_text()

    def clean_up(self):
        self.kill()
        os.unlink(self.log_path)


def call(*args, env=None, cwd=None):
    """Runs `weir` to its end with its streams apart."""
    return subprocess.run([WEIR, *map(str, args)], cwd=cwd or ROOT, text=True,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=RUN_SECONDS_MAX, check=False)


def completed_checkpoints(state_dir):
    """Ids of the checkpoints written in a state directory, rising. All but the last are complete,
    and the last one if no process runs that was killed before it listed it."""
    ids = [int(path.parent.name[len("chk-"):])
           for path in pathlib.Path(state_dir).glob("chk-*/_metadata")]
    return sorted(ids)


PART = re.compile(r"part-(\d+)-(\d+)-c(\d+)")


def parts(directory):
    """Committed files in the order of what they say: by checkpoint, then subtask and number."""
    found = []
    for path in pathlib.Path(directory).glob("part-*"):
        match = PART.fullmatch(path.name)
        assert match, f"unexpected name {path.name}"
        subtask, number, checkpoint = map(int, match.groups())
        found.append((checkpoint, subtask, number, path))
    return [path for *_, path in sorted(found)]


def temporaries(directory):
    return sorted(path.name for path in pathlib.Path(directory).glob(".part-*"))


def csv_rows(directory):
    rows = []
    for path in parts(directory):
        lines = path.read_text().splitlines()
        assert lines, f"{path} is empty"
        rows += [tuple(line.split(",")) for line in lines[1:]]
    return rows


def json_rows(directory):
    return [json.loads(line) for path in parts(directory)
            for line in path.read_text().splitlines()]


class Scratch(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="weir-e2e-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        return path
