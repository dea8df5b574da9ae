"""What a newcomer does first: version, validate, explain, a flow to the terminal."""

import json
import unittest

import weir_process as wp

FLOW = """
weir: 1
name: errors
sources:
  lines:
    connector: file
    options: {{path: {path}}}
    format: text
transforms:
  wanted:
    type: filter
    input: lines
    where: line like '%error%' and line not like '%ignored%'
sinks:
  out:
    connector: stdout
    input: wanted
    format: json
"""

SKIP = """
weir: 1
name: skip
types: {{row: {{i: int32 not null, k: string}}}}
sources:
  rows:
    connector: file
    options: {{path: {path}}}
    format: {{type: csv, header: true}}
    schema: row
    on_error: skip
sinks:
  out: {{connector: stdout, input: rows, format: json}}
"""

BROKEN = """weir: 1
name: Broken
sources:
  lines:
    connector: file
    options: {rate: 5/s, pth: y}
    format: text
transforms:
  wanted:
    type: filter
    input: linse
    where: lin = 3
sinks:
  out: {connector: stdout, input: wanted, format: json}
"""


class FirstFlow(wp.Scratch):
    def flow(self, lines):
        data = self.write("lines.txt", "".join(line + "\n" for line in lines))
        return self.write("flow.yaml", FLOW.format(path=data))

    def test_version(self):
        text = wp.call("version")
        self.assertEqual(text.returncode, 0)
        self.assertRegex(text.stdout, r"^weir \d+\.\d+\.\d+ ")
        self.assertEqual(json.loads(wp.call("version", "-o", "json").stdout)["kind"], "Version")

    def test_filter_to_stdout(self):
        lines = [f"line {i} {'error' if i % 3 == 0 else 'fine'}" for i in range(5000)]
        lines[9] += " ignored"
        job = self.flow(lines)
        run = wp.call("local", "run", job, "-q")
        self.assertEqual(run.returncode, 0, run.stderr)
        wanted = [line for line in lines if "error" in line and "ignored" not in line]
        self.assertEqual([json.loads(row)["line"] for row in run.stdout.splitlines()], wanted)
        # The rows are what stdout is for, so the end of the run is told elsewhere.
        as_json = wp.call("local", "run", job, "-o", "json")
        self.assertEqual(as_json.stdout, run.stdout)
        self.assertEqual(json.loads(as_json.stderr)["kind"], "LocalRun")

    def test_an_empty_file_gives_no_rows(self):
        run = wp.call("local", "run", self.flow([]), "-q")
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)

    def test_validate_finds_every_mistake_at_once(self):
        broken = self.write("broken.yaml", BROKEN)
        run = wp.call("validate", broken)
        self.assertEqual(run.returncode, 3)
        self.assertEqual(run.stdout, "")
        for place in (":2:7: error:", ":6:26: error:", ":11:12: error:"):
            self.assertIn(f"{broken}{place}", run.stderr)
        self.assertIn("did you mean 'path'", run.stderr)
        self.assertIn("did you mean 'lines'", run.stderr)
        ran = wp.call("local", "run", broken)
        self.assertEqual(ran.returncode, 3)

    def test_validate_json_is_json(self):
        broken = self.write("broken.yaml", BROKEN)
        run = wp.call("validate", broken, "-o", "json")
        self.assertEqual((run.returncode, run.stdout), (3, ""))
        error = json.loads(run.stderr)
        self.assertEqual(error["kind"], "Error")
        self.assertGreaterEqual(len(error["details"]), 3)
        good = wp.call("validate", self.flow([]), "-o", "json")
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertEqual(len(json.loads(good.stdout)["items"]), 1)

    def test_explain_shows_every_step(self):
        for name in ("word-count", "flight-delays"):
            run = wp.call("explain", wp.ROOT / f"examples/{name}.yaml")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(name, run.stdout)
            self.assertIn("hash", run.stdout)
            as_json = wp.call("explain", wp.ROOT / f"examples/{name}.yaml", "-o", "json")
            json.loads(as_json.stdout)

    def test_missing_files_and_flags(self):
        self.assertEqual(wp.call("validate", self.dir / "none.yaml").returncode, 4)
        self.assertEqual(wp.call("local", "run").returncode, 2)
        self.assertEqual(wp.call("local", "run", self.flow([]), "--parallelism", "0").returncode, 2)
        self.assertEqual(wp.call("nonsense").returncode, 2)

    def test_a_missing_input_file_fails_the_job_and_says_which(self):
        flow = self.write("flow.yaml", FLOW.format(path=self.dir / "gone.txt"))
        run = wp.call("local", "run", flow)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("gone.txt", run.stderr)
        self.assertIn("lines", run.stderr)

    def test_a_bad_row_is_skipped_alone(self):
        stray = '5" disk'
        lines = [f"{i},{stray if i == 10 else 'x'}\n" for i in range(3000)]
        data = self.write("rows.csv", "i,k\n" + "".join(lines))
        flow = self.write("skip.yaml", SKIP.format(path=data))
        run = wp.call("local", "run", flow)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(run.stdout.splitlines()), 2999)
        self.assertIn("1 bad row skipped", run.stderr)


if __name__ == "__main__":
    unittest.main()
