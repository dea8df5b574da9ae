"""scripts/check_style.py finds each thing docs/style.md refuses, and lets its neighbours pass."""

import unittest

from small_tree import SmallTreeTest

import check_style


class CheckStyleTest(SmallTreeTest):
    def setUp(self):
        super().setUp()
        self.write("common/state/README.md", "# common/state\n")
        self.write(
            "common/state/CMakeLists.txt", "weir_room(NAME common/state SOURCES table.cpp)\n"
        )

    def style(self):
        return self.found(check_style.check_tree(self.root))

    def rules_for(self, body, path="common/state/table.cpp"):
        """The rules that a source with this body breaks; the body starts on line 2."""
        self.write(path, "// A source.\n" + body + "\n")
        return [(line, rule) for _, line, rule in self.style()]

    def test_a_clean_source_passes(self):
        body = "int Twice(int x) { return static_cast<int>(2 * x); }"
        self.assertEqual(self.rules_for(body), [])

    def test_banned_words_are_found(self):
        for word in (
            "std::string_view text;",
            "std::thread t;",
            "std::mutex m;",
            "auto t = std::chrono::system_clock::now();",
            "absl::Time t = absl::Now();",
            "int r = rand();",
            "std::cout << 1;",
            "using namespace std;",
            "[[maybe_unused]] int x;",
            "assert(x);",
            "absl::SleepFor(d);",
            "LOG(FATAL) << x;",
        ):
            with self.subTest(word=word):
                self.assertEqual(self.rules_for(word), [(2, "word")])

    def test_a_finding_names_what_to_write_instead(self):
        self.write("common/state/table.cpp", "// A source.\nstd::string_view s;\n")
        messages = [problem.message for problem in check_style.check_tree(self.root)]
        self.assertIn("StringView", messages[0])

    def test_words_in_comments_strings_and_longer_names_pass(self):
        for text in (
            "int x;  // std::thread is not for us",
            'const char* s = "std::mutex";',
            "int operand(int x);",
            "x.rand();",
            "absl::Now2 y;",
            "static_assert(sizeof(int) == 4);",
            "using my_namespace::Thing;",
        ):
            with self.subTest(text=text):
                self.assertEqual(self.rules_for(text), [])

    def test_a_word_passes_where_the_table_allows_it(self):
        self.write("common/base/README.md", "# common/base\n")
        self.write("common/base/CMakeLists.txt", "weir_room(NAME common/base SOURCES thread.cpp)\n")
        self.assertEqual(self.rules_for("std::thread t;", "common/base/thread.cpp"), [])

    def test_raw_memory_is_found_but_deleted_functions_and_placement_pass(self):
        self.assertEqual(self.rules_for("auto* x = new Table();"), [(2, "memory")])
        self.assertEqual(self.rules_for("void F() { delete x; }"), [(2, "memory")])
        self.assertEqual(self.rules_for("void F() { delete[] x; }"), [(2, "memory")])
        for owned in ("std::unique_ptr<T>(new T(1))", "std::unique_ptr<T>(\n    new T(1))"):
            self.assertEqual(self.rules_for(f"auto x = {owned};"), [])
        self.assertEqual(self.rules_for("Keep(new Table());"), [(2, "memory")])
        self.assertEqual(self.rules_for("T(const T&) = delete;\nvoid G() { ::new (p) T; }"), [])

    def test_c_casts_are_found_but_declarations_pass(self):
        self.assertEqual(self.rules_for("int y = (int)x;"), [(2, "cast")])
        self.assertEqual(self.rules_for("auto y = 2 * (uint64_t)(a + b);"), [(2, "cast")])
        passing = "void F(int) const;\nstd::function<void(int)> g;\nint z = sizeof(int) * 2;"
        self.assertEqual(self.rules_for(passing), [])

    def test_a_default_argument_on_a_virtual_is_found(self):
        self.assertEqual(self.rules_for("virtual void F(int x = 3);"), [(2, "virtual")])
        self.assertEqual(self.rules_for("virtual void F(int x) = 0;\nvirtual ~T() = default;"), [])

    def test_commented_out_code_is_found_but_prose_passes(self):
        self.assertEqual(self.rules_for("// table.Insert(key, value);"), [(2, "comment")])
        self.assertEqual(self.rules_for("// count = count + 1;"), [(2, "comment")])
        self.assertEqual(self.rules_for("// Rows go first; keys later.\n// WEIR_TRY(x, F());"), [])

    def test_a_todo_needs_a_kind(self):
        self.assertEqual(self.rules_for("// TODO: this"), [(2, "todo")])
        self.assertEqual(self.rules_for("// TODO(ada): this"), [(2, "todo")])
        self.assertEqual(self.rules_for("// TODO(perf): skip the copy"), [])
        self.assertEqual(self.rules_for("// FIXME later"), [(2, "word")])

    def test_a_class_without_a_comment_is_found(self):
        self.write("common/state/table.cpp", '// A source.\n#include "common/state/table.h"\n')
        header = "// A header.\n#pragma once\n\n{}class Table final : public Base {{\n}};\n"
        self.write("common/state/table.h", header.format(""))
        self.assertEqual(self.style(), [("common/state/table.h", 4, "class")])
        self.write("common/state/table.h", header.format("// Rows by key.\n"))
        self.assertEqual(self.style(), [])
        self.write("common/state/table.h", header.format("template <typename T>\n"))
        self.assertEqual(self.style(), [("common/state/table.h", 4, "class")])
        self.write("common/state/table.h", header.format("class Forward;\n\n// Rows.\n"))
        self.assertEqual(self.style(), [])

    def test_a_header_needs_pragma_once_and_an_opening_comment(self):
        self.write("common/state/table.cpp", "// A source.\n")
        self.write("common/state/row.h", "int x();\n")
        self.assertEqual(
            self.style(),
            [("common/state/row.h", 1, "header"), ("common/state/row.h", 1, "opening")],
        )

    def test_the_own_header_comes_first(self):
        self.write("common/state/table.h", "// A header.\n#pragma once\n")
        body = '#include <vector>\n#include "common/state/table.h"'
        self.assertEqual(self.rules_for(body), [(2, "include")])

    def test_a_source_that_no_cmake_list_names_is_found(self):
        self.write("common/state/table.cpp", "// A source.\n")
        self.write("common/state/orphan.cpp", "// A source.\n")
        self.write("tests/unit/common/state/a_test.cpp", "// A test.\n")
        self.write("tests/unit/common/state/b_test.cpp", "// A test.\n")
        self.write(
            "tests/unit/common/state/CMakeLists.txt", "weir_test(NAME u SOURCES a_test.cpp)\n"
        )
        self.assertEqual(
            self.style(),
            [
                ("common/state/orphan.cpp", 1, "unlisted"),
                ("tests/unit/common/state/b_test.cpp", 1, "unlisted"),
            ],
        )

    def test_names_that_say_nothing_are_found(self):
        self.write(
            "common/state/CMakeLists.txt", "weir_room(NAME common/state SOURCES key_util.cpp)\n"
        )
        self.assertEqual(self.rules_for("", "common/state/key_util.cpp"), [(1, "name")])

    def test_a_room_readme_is_there_and_short(self):
        self.write("common/state/table.cpp", "// A source.\n")
        self.write("common/state/README.md", "line\n" * 31)
        self.assertEqual(self.style(), [("common/state/README.md", 31, "readme")])
        self.write("common/state/README.md", "line\n" * 30)
        self.assertEqual(self.style(), [])
        self.write("common/types/schema.h", "// A header.\n#pragma once\n")
        self.assertEqual(self.style(), [("common/types/README.md", 1, "readme")])

    def test_the_line_limit_holds_at_600_and_one_past_it(self):
        self.assertEqual(self.rules_for("\n" * 598), [])
        self.assertEqual(self.rules_for("\n" * 599), [(601, "length")])

    def test_the_list_of_exceptions_only_shrinks(self):
        path = "common/state/table.cpp"
        for entry, lines, passes in (
            (700, 700, True),
            (700, 701, False),
            (700, 699, False),
            (700, 500, False),
        ):
            with self.subTest(entry=entry, lines=lines):
                self.write(check_style.EXCEPTIONS, f"{path} {entry}  # parser tables\n")
                rules = self.rules_for("\n" * (lines - 2))
                self.assertEqual(rules, [] if passes else [(lines, "length")])

    def test_an_exception_for_a_file_that_is_gone_is_found(self):
        self.write("common/state/table.cpp", "// A source.\n")
        self.write(check_style.EXCEPTIONS, "common/state/gone.cpp 700\n")
        self.assertEqual(self.style(), [("common/state/gone.cpp", 1, "length")])


if __name__ == "__main__":
    unittest.main()
