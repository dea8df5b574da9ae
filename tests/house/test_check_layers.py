"""scripts/check_layers.py finds an include that goes up, sideways, through a closed edge, or to a
header that has its home elsewhere."""

import time
import unittest

from small_tree import ROOT, SmallTreeTest

import check_layers
import source_tree


class CheckLayersTest(SmallTreeTest):
    def layers(self):
        return self.found(check_layers.check_tree(self.root))

    def header(self, path, *includes):
        self.write(
            path, "// A header.\n#pragma once\n" + "".join(f"#include {i}\n" for i in includes)
        )

    def test_an_include_of_a_lower_room_passes(self):
        self.header("common/base/ids.h", "<cstdint>")
        self.header("common/types/schema.h", '"common/base/ids.h"')
        self.assertEqual(self.layers(), [])

    def test_an_include_of_a_higher_room_is_found(self):
        self.header("common/base/ids.h", '"common/types/schema.h"')
        self.header("common/types/schema.h")
        self.assertEqual(self.layers(), [("common/base/ids.h", 3, "N3")])

    def test_rooms_of_equal_rank_do_not_see_each_other(self):
        self.header("common/expr/bind.h")
        self.header("common/sdk/value.h", '"common/expr/bind.h"')
        self.assertEqual(self.layers(), [("common/sdk/value.h", 3, "N3")])

    def test_a_subfolder_belongs_to_the_room_above_it(self):
        self.header("common/graph/steps/filter.h", '"common/graph/plan.h"')
        self.header("common/graph/plan.h", '"common/graph/steps/filter.h"')
        self.assertEqual(self.layers(), [])

    def test_a_room_that_may_use_does_not_name_is_found(self):
        self.write(
            "common/types/CMakeLists.txt",
            "weir_room(NAME common/types SOURCES a.cpp\n LIBRARIES absl::time)",
        )
        self.write("common/base/CMakeLists.txt", "weir_room(NAME common/base SOURCES a.cpp)")
        self.header("common/base/ids.h")
        self.header("common/types/schema.h", '"common/base/ids.h"')
        self.assertEqual(self.layers(), [("common/types/schema.h", 3, "N3")])

        self.write(
            "common/types/CMakeLists.txt",
            "weir_room(NAME common/types SOURCES a.cpp MAY_USE common/base LIBRARIES absl::time)",
        )
        self.assertEqual(self.layers(), [])

    def test_each_closed_edge_is_found(self):
        self.header("jobmanager/app/job_app.h")
        self.header("jobmanager/job/job.h")
        self.header("taskmanager/task/task.h")
        self.header("common/testing/sim_clock.h")
        self.header("common/fs/s3/s3_files.h")
        for rule, source, include in (
            ("N1", "common/daemon/flags.h", "jobmanager/job/job.h"),
            ("N2", "taskmanager/app/task_app.h", "jobmanager/job/job.h"),
            ("N2", "jobmanager/app/other_app.h", "taskmanager/task/task.h"),
            ("N3", "cli/local.h", "taskmanager/task/task.h"),
            ("N8", "taskmanager/app/task_app.h", "common/testing/sim_clock.h"),
            ("N8", "common/testing/world.h", "jobmanager/job/job.h"),
            ("N9", "common/types/schema.h", "common/fs/s3/s3_files.h"),
            ("N10", "taskmanager/operators/filter.h", "taskmanager/task/task.h"),
        ):
            with self.subTest(rule=rule, source=source):
                self.header(source, f'"{include}"')
                self.assertIn((source, 3, rule), self.layers())
                self.header(source)
                self.assertEqual(self.layers(), [])

    def test_tests_and_wiring_pass_where_others_do_not(self):
        self.header("common/testing/sim_clock.h")
        self.header("common/fs/s3/s3_files.h")
        self.header("jobmanager/app/job_app.h", '"common/fs/s3/s3_files.h"')
        self.header("cli/local.h", '"jobmanager/app/job_app.h"')
        self.header("tests/unit/a_test.cpp", '"common/testing/sim_clock.h"', "<catch2/catch.hpp>")
        self.header("jobmanager/main.cpp", '"jobmanager/app/job_app.h"')
        self.assertEqual(self.layers(), [])

    def test_a_header_away_from_its_home_is_found(self):
        for rule, source, header in (
            ("N4", "common/state/table.h", "capnp/message.h"),
            ("N4", "common/state/table.h", "schemas/stored/checkpoint.capnp.h"),
            ("N5", "common/checkpoint/metadata_codec.cpp", "capnp/rpc.h"),
            ("N5", "common/fs/file.h", "kj/async.h"),
            ("N6", "common/fs/file.h", "glog/logging.h"),
            ("N6", "tests/unit/fs_test.cpp", "glog/logging.h"),
            ("N7", "common/graph/plan.cpp", "yaml-cpp/yaml.h"),
            ("N7", "common/state/table.cpp", "xxhash.h"),
            ("N7", "taskmanager/connectors/file.cpp", "simdjson.h"),
            ("N11", "common/fs/file.h", "filesystem"),
            ("N11", "cli/local.cpp", "iostream"),
            ("N11", "common/state/table.h", "absl/synchronization/mutex.h"),
        ):
            with self.subTest(rule=rule, source=source):
                self.header(source, f"<{header}>")
                self.assertEqual(self.layers(), [(source, 3, rule)])
                self.header(source)

    def test_a_header_at_home_passes(self):
        self.header("common/checkpoint/metadata_codec.cpp", "<capnp/message.h>")
        self.header("common/config/yaml_document.cpp", "<yaml-cpp/yaml.h>")
        self.header("common/io/hash.cpp", "<xxhash.h>", "<glog/logging.h>")
        self.header("common/base/mutex.h", "<mutex>")
        self.assertEqual(self.layers(), [])

    def test_a_relative_include_and_an_unknown_room_are_found(self):
        self.header("common/base/ids.h")
        self.header("common/base/clock.h", '"ids.h"')
        self.header("common/misc/thing.h")
        self.header("common/base/lost.h", '"common/base/gone.h"')
        self.assertEqual(
            self.layers(),
            [
                ("common/base/clock.h", 3, "N3"),
                ("common/base/lost.h", 3, "N3"),
                ("common/misc/thing.h", 1, "N3"),
            ],
        )

    def test_a_folder_named_like_a_standard_header_does_no_harm(self):
        self.header("common/coordination/memory/store.h")
        self.header("common/coordination/store.h", "<memory>")
        self.assertEqual(self.layers(), [])

    def test_a_style_page_without_its_table_is_an_error(self):
        self.write("docs/style.md", "# nothing\n")
        with self.assertRaises(source_tree.StyleError):
            check_layers.check_tree(self.root)

    def test_the_real_tree_is_read_in_well_under_a_second_of_cpu(self):
        start = time.process_time()
        check_layers.check_tree(ROOT)
        self.assertLess(time.process_time() - start, 2.0)


class MatchingTest(unittest.TestCase):
    def test_the_last_pattern_that_matches_decides(self):
        patterns = ["*.cpp", "!tests/*", "tests/bench/*"]
        self.assertTrue(source_tree.matches("cli/a.cpp", patterns))
        self.assertFalse(source_tree.matches("tests/unit/a.cpp", patterns))
        self.assertTrue(source_tree.matches("tests/bench/a.cpp", patterns))
        self.assertFalse(source_tree.matches("cli/a.h", patterns))

    def test_comments_and_literals_are_blanked_in_place(self):
        text = 'a = "new x"; // new y\nb = R"(delete z)"; c = 1\'000;\n/* new\n w */ d\n'
        blank = source_tree.strip_comments_and_strings(text)
        self.assertEqual(len(blank), len(text))
        self.assertEqual(blank.count("\n"), text.count("\n"))
        for word in ("new", "delete"):
            self.assertNotIn(word, blank)
        self.assertIn("c = 1'000;", blank)
        self.assertIn(" d", blank)


if __name__ == "__main__":
    unittest.main()
