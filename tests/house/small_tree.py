"""A throw-away tree that carries the real rule tables, for the tests of the checkers."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SCRIPTS = os.path.join(ROOT, "scripts")
sys.path.insert(0, SCRIPTS)


class SmallTreeTest(unittest.TestCase):
    """Each case starts with a tree that holds docs/style.md and nothing else."""

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="weir-house-")
        self.addCleanup(shutil.rmtree, self.root)
        with open(os.path.join(ROOT, "docs/style.md"), encoding="utf-8") as file:
            self.write("docs/style.md", file.read())

    def write(self, path, text):
        """Writes one file, making its folder."""
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def run_in_tree(self, *command, **environment):
        """Runs a command in the tree; returns (exit code, stdout and stderr)."""
        done = subprocess.run(
            command,
            cwd=self.root,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def found(self, problems):
        """The findings as (path, line, rule), for comparison."""
        return sorted((problem.path, problem.line, problem.rule) for problem in problems)
