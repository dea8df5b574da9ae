"""scripts/format finds and mends what is not formatted; scripts/check_headers finds the header that
leans on another's includes."""

import json
import os
import shutil
import unittest

from small_tree import ROOT, SCRIPTS, SmallTreeTest

UGLY = "// A source.\nint  Twice( int x ){return 2*x;}\n"
CLEAN = "// A source.\nint Twice(int x) {\n  return 2 * x;\n}\n"


class TreeWithScriptsTest(SmallTreeTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, os.path.join(self.root, "scripts"))
        for folder in ("common/state", "jobmanager", "taskmanager", "cli", "tests"):
            os.makedirs(os.path.join(self.root, folder))


@unittest.skipUnless(shutil.which("clang-format-14"), "needs clang-format-14")
class FormatTest(TreeWithScriptsTest):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(ROOT, ".clang-format"), self.root)
        self.write("common/state/clean.cpp", CLEAN)
        self.write("common/state/ugly.cpp", UGLY)

    def ugly(self):
        with open(os.path.join(self.root, "common/state/ugly.cpp"), encoding="utf-8") as file:
            return file.read()

    def test_check_names_the_file_and_changes_nothing(self):
        code, output = self.run_in_tree("scripts/format", "--check")
        self.assertEqual(code, 1)
        self.assertIn("common/state/ugly.cpp\n", output)
        self.assertNotIn("clean.cpp", output)
        self.assertEqual(self.ugly(), UGLY)

    def test_format_mends_and_check_passes_then(self):
        self.assertEqual(self.run_in_tree("scripts/format"), (0, ""))
        self.assertEqual(self.ugly(), CLEAN)
        self.assertEqual(self.run_in_tree("scripts/format", "--check"), (0, ""))

    def test_only_the_named_files_are_looked_at(self):
        result = self.run_in_tree("scripts/format", "--check", "common/state/clean.cpp")
        self.assertEqual(result, (0, ""))


@unittest.skipUnless(shutil.which("g++"), "needs g++")
class CheckHeadersTest(TreeWithScriptsTest):
    def setUp(self):
        super().setUp()
        command = ("ccache g++ -Ibuild/release/generated -DANSWER=42 -Wextra -Werror -Wall "
                   "-Wno-missing-field-initializers -c x.cpp")
        entry = {"directory": self.root, "file": "x.cpp", "command": command}
        self.write("build/release/compile_commands.json", json.dumps([entry]))
        self.write("build/release/generated/made.h", "struct Made {};\n")

    def check(self):
        return self.run_in_tree("scripts/check_headers")

    def test_headers_that_stand_alone_pass(self):
        text = '#pragma once\n#include "made.h"\ninline Made made;\ninline int answer = ANSWER;\n'
        self.write("common/state/a.h", text)
        self.write("common/state/b.h", '#pragma once\n#include "common/state/a.h"\n')
        code, output = self.check()
        self.assertEqual((code, output), (0, "check_headers: 2 headers, 0 failed\n"))

    def test_a_header_that_leans_on_another_is_named(self):
        self.write("common/state/a.h", "#pragma once\nstruct A {};\n")
        self.write("common/state/b.h", "#pragma once\ninline A a;\n")
        code, output = self.check()
        self.assertEqual(code, 1)
        self.assertIn("common/state/b.h: does not compile alone", output)
        self.assertNotIn("common/state/a.h: does not", output)

    def test_the_warnings_of_the_build_count_and_no_others(self):
        self.write("common/state/a.h", "#pragma once\nstruct A { int x; int y; };\n"
                   "inline A Half() { return {.x = 1}; }\n")
        self.write("common/state/b.h", "#pragma once\ninline void F() { int idle; }\n")
        code, output = self.check()
        self.assertEqual(code, 1)
        self.assertIn("common/state/b.h: does not compile alone", output)
        self.assertNotIn("common/state/a.h: does not", output)

    def test_without_a_build_it_says_so(self):
        shutil.rmtree(os.path.join(self.root, "build"))
        code, output = self.check()
        self.assertEqual(code, 2)
        self.assertIn("build first", output)


if __name__ == "__main__":
    unittest.main()
