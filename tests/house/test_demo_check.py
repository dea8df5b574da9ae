"""scripts/demo_check.py accepts the right report and no other."""

import contextlib
import io
import os

from small_tree import SmallTreeTest

import demo_check

FLIGHTS = """\
{"date":"2001/01/01 00:47","delay":66,"distance":1750,"origin":"DTW","destination":"LAS"}
{"date":"2001/01/01 23:59","delay":-5,"distance":2399,"origin":"DTW","destination":"SFO"}
{"date":"2001/01/02 00:00","delay":7,"distance":407,"origin":"DTW","destination":"OAK"}
{"date":"2001/01/01 06:02","delay":0,"distance":377,"origin":"MHT","destination":"BWI"}
{"date":"2001/01/01 06:03","delay":1,"distance":377,"origin":"MHT","destination":"BWI"}
{"date":"2001/01/01 06:04","delay":0,"distance":377,"origin":"MHT","destination":"BWI"}
"""
HEADER = "origin,window_start,window_end,flights,avg_delay,worst_delay\n"
DTW_1 = "DTW,2001-01-01T00:00:00Z,2001-01-02T00:00:00Z,2,30.5,66\n"
DTW_2 = "DTW,2001-01-02T00:00:00Z,2001-01-03T00:00:00Z,1,7,7\n"
MHT_1 = "MHT,2001-01-01T00:00:00Z,2001-01-02T00:00:00Z,3,0.3333333333333333,1\n"


class DemoCheckTest(SmallTreeTest):
    def setUp(self):
        super().setUp()
        self.write("flights.ndjson", FLIGHTS)

    def judge(self, **parts):
        """Exit code and output for an output directory with these files."""
        for name, text in parts.items():
            name = name.replace("hidden_", ".").replace("_", "-")
            self.write(os.path.join("out", name), text)
        arguments = [os.path.join(self.root, "flights.ndjson"), os.path.join(self.root, "out")]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = demo_check.main(arguments)
        return code, output.getvalue()

    def assert_fails_with(self, text, **parts):
        code, output = self.judge(**parts)
        self.assertEqual(code, 1, output)
        self.assertIn("exactly once: FAILED", output)
        self.assertIn(text, output)

    def test_the_right_rows_in_any_order_and_files_pass(self):
        code, output = self.judge(part_0_0_c1=HEADER + MHT_1 + DTW_1, part_1_0_c4=HEADER + DTW_2)
        self.assertEqual(code, 0, output)
        self.assertTrue(output.endswith("exactly once: OK\n"))

    def test_files_without_a_header_or_with_other_time_forms_pass(self):
        dtw = "DTW,2001-01-02 00:00:00+00,2001-01-03 00:00:00.000000+00:00,1,7.0,7\n"
        code, output = self.judge(part_0_0_c1=DTW_1 + dtw, part_0_1_c2=MHT_1, part_0_2_c3="")
        self.assertEqual(code, 0, output)

    def test_a_row_written_twice_fails(self):
        rows = HEADER + MHT_1 + DTW_1 + DTW_2
        self.assert_fails_with(
            "MHT 2001-01-01: written 2 times", part_0_0_c1=rows, part_0_1_c2=MHT_1
        )

    def test_a_missing_row_fails(self):
        self.assert_fails_with("MHT 2001-01-01: missing", part_0_0_c1=HEADER + DTW_1 + DTW_2)

    def test_a_row_that_counts_wrong_fails(self):
        for wrong in (
            MHT_1.replace(",3,", ",4,"),
            MHT_1.replace(",0.3333333333333333,", ",0.3334,"),
            MHT_1.replace(",1\n", ",2\n"),
            MHT_1.replace("2001-01-02", "2001-01-03"),
        ):
            with self.subTest(wrong=wrong):
                rows = HEADER + DTW_1 + DTW_2 + wrong
                self.assert_fails_with("MHT 2001-01-01: (", part_0_0_c1=rows)

    def test_a_row_of_flights_that_never_were_fails(self):
        extra = MHT_1.replace("MHT", "XXX")
        rows = HEADER + DTW_1 + DTW_2 + MHT_1 + extra
        self.assert_fails_with("XXX 2001-01-01: no such flights", part_0_0_c1=rows)

    def test_an_uncommitted_file_left_behind_fails(self):
        rows = HEADER + MHT_1 + DTW_1 + DTW_2
        self.assert_fails_with("left behind", part_0_0_c1=rows, hidden_part_0_1="")

    def test_a_torn_row_fails(self):
        self.assert_fails_with("row 1 has 3 columns", part_0_0_c1="MHT,2001-01-01T00:00:00Z,2001\n")
        self.assert_fails_with("row 1", part_0_0_c1=MHT_1.replace(",3,", ",three,"))

    def test_the_number_of_rows_is_printed_on_request(self):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            demo_check.main(["--rows", os.path.join(self.root, "flights.ndjson")])
        self.assertEqual(output.getvalue(), "3\n")
