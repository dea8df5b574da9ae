"""ARCHITECTURE.md sends its readers to files that are there."""

import os
import re
import unittest

from small_tree import ROOT

QUOTED = re.compile(r"`([^`\n]+)`")
A_PATH = re.compile(r"[\w./-]+/[\w.-]+\.(?:h|cpp|py|yaml)")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def named_paths(text):
    """Paths from the top of the tree, as far as they stand alone between backquotes."""
    return [word for word in QUOTED.findall(text) if A_PATH.fullmatch(word)]


class DocumentsTest(unittest.TestCase):
    def test_every_file_that_architecture_names_is_there(self):
        paths = named_paths(read("ARCHITECTURE.md"))
        self.assertGreater(len(paths), 50)
        missing = [path for path in paths if not os.path.exists(os.path.join(ROOT, path))]
        self.assertEqual(missing, [])

    def test_only_whole_paths_count_as_named(self):
        text = "`a/b.h`, `a/b`, `planner.cpp`, `common/expr/functions_*.cpp`, a/c.h, `docs/x.py`"
        self.assertEqual(named_paths(text), ["a/b.h", "docs/x.py"])


if __name__ == "__main__":
    unittest.main()
