"""scripts/hooks/pre-commit formats what is staged and refuses what must not get in."""

import os
import shutil
import unittest

from small_tree import ROOT, SCRIPTS, SmallTreeTest

GIT_IDENTITY = {
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@localhost",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@localhost",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}
CLEAN = "// A source.\nint Twice(int x) {\n  return 2 * x;\n}\n"


@unittest.skipUnless(shutil.which("git"), "needs git")
class HookTest(SmallTreeTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(SCRIPTS, os.path.join(self.root, "scripts"))
        shutil.copy(os.path.join(ROOT, ".clang-format"), self.root)
        self.write("common/state/README.md", "# common/state\n")
        self.write(
            "common/state/CMakeLists.txt", "weir_room(NAME common/state SOURCES table.cpp)\n"
        )
        self.git("init", "-q")
        self.git("config", "core.hooksPath", "scripts/hooks")

    def git(self, *arguments):
        return self.run_in_tree("git", *arguments, **GIT_IDENTITY)

    def commit(self, text):
        self.write("common/state/table.cpp", text)
        self.git("add", "-A")
        return self.git("commit", "-q", "-m", "state: a change")

    def test_a_clean_file_is_committed(self):
        code, output = self.commit(CLEAN)
        self.assertEqual(code, 0, output)

    def test_debug_prints_and_their_kin_are_refused(self):
        for line in (
            'void F() { std::printf("here"); }',
            "// FIXME: wrong",
            'void F() { LOG(FATAL) << "no"; }',
            'TEST_CASE("x", "[a][.only]") {}',
        ):
            with self.subTest(line=line):
                code, output = self.commit(CLEAN + line + "\n")
                self.assertEqual(code, 1, output)
                self.assertIn("pre-commit: common/state/table.cpp", output)

    def test_only_added_lines_are_judged(self):
        self.write("common/state/table.cpp", CLEAN + 'void F() {\n  std::printf("old");\n}\n')
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", "state: old")
        code, output = self.commit(CLEAN + 'void F() {\n  std::printf("old");\n}\nint y;\n')
        self.assertEqual(code, 0, output)

    def test_layers_and_style_are_checked(self):
        code, output = self.commit("// A source.\n#include <iostream>\n")
        self.assertEqual(code, 1)
        self.assertIn("N11", output)
        code, output = self.commit(CLEAN + "using namespace std;\n")
        self.assertEqual(code, 1)
        self.assertIn("word", output)

    @unittest.skipUnless(shutil.which("clang-format-14"), "needs clang-format-14")
    def test_a_staged_file_is_formatted_and_staged_again(self):
        code, output = self.commit("// A source.\nint  Twice( int x ){return 2*x;}\n")
        self.assertEqual(code, 0, output)
        self.assertIn("int Twice(int x) {", self.git("show", "HEAD:common/state/table.cpp")[1])

    @unittest.skipUnless(shutil.which("clang-format-14"), "needs clang-format-14")
    def test_a_partly_staged_file_is_judged_and_left_alone(self):
        self.write("common/state/table.cpp", "// A source.\nint  x;\n")
        self.git("add", "-A")
        self.write("common/state/table.cpp", "// A source.\nint  x;\nint  y;\n")
        code, output = self.git("commit", "-q", "-m", "state: part")
        self.assertEqual(code, 1)
        self.assertIn("staged part is not formatted", output)
        self.assertNotIn("y", self.git("show", ":common/state/table.cpp")[1])


if __name__ == "__main__":
    unittest.main()
