"""What a state directory promises: one process at a time, one job for ever, a clean stop that goes
on, and a finished job that does not run again."""

import json
import os
import shutil
import signal
import subprocess
import unittest

import jobs
import weir_process as wp


class LocalRun(wp.Scratch):
    def setUp(self):
        super().setUp()
        self.state = self.dir / "state"

    def command(self, job, *more):
        return ["local", "run", job.descriptor, "--state-dir", self.state, *more]

    def started(self, job):
        run = wp.Run(self, self.command(job), job.env)
        # The second one is taken when the first is complete.
        self.assertTrue(run.wait_until(lambda: max(wp.completed_checkpoints(self.state),
                                                   default=0) > 1,
                                       "a complete checkpoint"), run.output())
        return run

    def test_without_a_state_directory(self):
        for make_job in jobs.ALL:
            with self.subTest(make_job.name):
                scratch = self.dir / make_job.name
                scratch.mkdir()
                job = make_job(scratch, rate="1000000/s")
                run = wp.call("local", "run", job.descriptor, "-o", "json", env=job.env)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(json.loads(run.stdout)["state"], "FINISHED")
                job.check(self)

    def test_sigterm_stops_cleanly_and_the_next_run_goes_on(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(number):
                scratch = self.dir / str(int(number))
                scratch.mkdir()
                self.state = scratch / "state"
                job = jobs.FlightDelays(scratch)
                run = self.started(job)
                run.kill(number)
                self.assertEqual(run.process.returncode, code, run.output())
                self.assertIn("SUSPENDED", run.output())
                again = wp.Run(self, self.command(job, "--parallelism", 3), job.env)
                self.assertEqual(again.finish(), 0, again.output())
                self.assertIn("restored from checkpoint", again.output())
                job.check(self)

    def test_a_finished_job_does_not_run_again(self):
        job = jobs.KeyedCount(self.dir, rate="1000000/s")
        self.assertEqual(wp.Run(self, self.command(job), job.env).finish(), 0)
        before = [(path.name, path.read_bytes()) for path in wp.parts(job.out)]
        again = wp.call(*self.command(job), env=job.env)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("finished", again.stderr)
        self.assertEqual([(path.name, path.read_bytes()) for path in wp.parts(job.out)], before)
        self.assertEqual(wp.completed_checkpoints(self.state), [])

    def test_a_finished_job_leaves_no_checkpoints_though_it_was_killed_at_its_end(self):
        job = jobs.KeyedCount(self.dir, rate="1000000/s")
        self.assertEqual(wp.Run(self, self.command(job), job.env).finish(), 0)
        # What a kill between storing the result and removing the checkpoints leaves.
        left = self.state / "chk-77"
        left.mkdir()
        (left / "_metadata").write_bytes(b"left")
        again = wp.call(*self.command(job), env=job.env)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(list(self.state.glob("chk-*")), [])

    def test_a_jobmanager_leaves_the_state_of_a_local_run_alone(self):
        job = jobs.FlightDelays(self.dir)
        self.started(job).kill(signal.SIGTERM)
        daemon = subprocess.run(
            [os.path.join(os.path.dirname(wp.WEIR), "weir-jobmanager"),
             "-D", "high-availability.type=file",
             "-D", f"high-availability.storage-dir={self.state}",
             "-D", "jobmanager.rpc.port=0", "-D", "rest.port=0"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(daemon.returncode, 0, daemon.stdout)
        self.assertIn("is the state directory of job 'flight-delays'", daemon.stderr)
        again = wp.Run(self, self.command(job), job.env)
        self.assertEqual(again.finish(), 0, again.output())
        self.assertIn("restored from checkpoint", again.output())
        job.check(self)

    def test_a_state_directory_may_be_moved(self):
        job = jobs.FlightDelays(self.dir)
        self.started(job).kill(signal.SIGTERM)
        moved = self.dir / "moved"
        self.state.rename(moved)
        self.state = moved
        again = wp.Run(self, self.command(job), job.env)
        self.assertEqual(again.finish(), 0, again.output())
        self.assertIn("restored from checkpoint", again.output())
        job.check(self)

    def test_checkpoints_without_their_log_are_not_swept_away(self):
        job = jobs.FlightDelays(self.dir)
        self.started(job).kill(signal.SIGTERM)
        before = wp.completed_checkpoints(self.state)
        (self.state / "log").rename(self.dir / "log")
        refused = wp.call(*self.command(job), env=job.env)
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertIn(str(self.state / "log"), refused.stderr)
        self.assertEqual(wp.completed_checkpoints(self.state), before)
        shutil.rmtree(self.state / "log")
        (self.dir / "log").rename(self.state / "log")
        again = wp.Run(self, self.command(job), job.env)
        self.assertEqual(again.finish(), 0, again.output())
        job.check(self)

    def test_a_run_whose_directories_were_replaced_commits_nothing_more(self):
        job = jobs.FlightDelays(self.dir)
        run = self.started(job)
        # In one step: the first one writes into them all the time.
        self.state.rename(self.dir / "old-state")
        job.out.rename(self.dir / "old-out")
        second = wp.Run(self, self.command(job), job.env)
        self.assertEqual(second.finish(), 0, second.output())
        self.assertNotEqual(run.finish(), 0, run.output())
        # What the first one had begun in the other's directory counts for nothing.
        for name in wp.temporaries(job.out):
            (job.out / name).unlink()
        job.check(self)

    def test_a_second_process_is_refused(self):
        job = jobs.FlightDelays(self.dir)
        run = self.started(job)
        second = wp.call(*self.command(job), env=job.env)
        self.assertEqual(second.returncode, 5, second.stderr)
        self.assertIn(str(run.process.pid), second.stderr)
        self.assertEqual(run.finish(), 0, run.output())
        job.check(self)

    def test_another_job_is_refused(self):
        job = jobs.FlightDelays(self.dir)
        self.started(job).kill()
        other = jobs.KeyedCount(self.dir)
        refused = wp.call(*self.command(other), env=other.env)
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertIn("flight-delays", refused.stderr)

    def test_an_output_directory_with_parts_is_refused_at_a_first_start(self):
        job = jobs.KeyedCount(self.dir, rate="1000000/s")
        self.assertEqual(wp.Run(self, self.command(job), job.env).finish(), 0)
        before = [path.name for path in wp.parts(job.out)]
        self.state = self.dir / "another"
        for command in (self.command(job), ["local", "run", job.descriptor]):
            refused = wp.call(*command, env=job.env)
            self.assertEqual(refused.returncode, 5, refused.stderr)
            self.assertIn(str(job.out), refused.stderr)
            self.assertIn("output of an earlier run", refused.stderr)
            self.assertIn("emove the directory or choose another", refused.stderr)
            self.assertEqual([path.name for path in wp.parts(job.out)], before)

    def test_an_output_directory_of_a_live_job_is_refused(self):
        job = jobs.FlightDelays(self.dir)
        run = self.started(job)
        self.state = self.dir / "another"
        refused = wp.call(*self.command(job), env=job.env)
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertEqual(run.finish(), 0, run.output())
        job.check(self)

    def test_missing_output_is_named_and_no_checkpoint_is_given_up_for_it(self):
        job = jobs.KeyedCount(self.dir)
        self.started(job).kill(signal.SIGTERM)
        checkpoints = wp.completed_checkpoints(self.state)
        elsewhere = self.dir / "elsewhere"
        job.out.rename(elsewhere)
        refused = wp.call(*self.command(job), env=job.env)
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertIn(f"{job.out} is where this job goes on writing", refused.stderr)
        self.assertIn("it is gone. Put the directory back", refused.stderr)
        self.assertFalse(job.out.exists())
        self.assertTrue(set(checkpoints) <= set(wp.completed_checkpoints(self.state)))
        self.assertEqual(list(self.state.glob("broken-*")), [])
        elsewhere.rename(job.out)
        again = wp.Run(self, self.command(job), job.env)
        self.assertEqual(again.finish(), 0, again.output())
        job.check(self)

    def test_a_directory_without_its_owner_file_is_left_alone(self):
        job = jobs.KeyedCount(self.dir)
        self.started(job).kill()
        (job.out / ".weir-owner").unlink()
        foreign = job.out / "part-0-0-c999999"
        foreign.write_text("someone else's")
        before = sorted(path.name for path in job.out.iterdir())
        refused = wp.call(*self.command(job), env=job.env)
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertIn("its .weir-owner is missing", refused.stderr)
        self.assertEqual(sorted(path.name for path in job.out.iterdir()), before)

    def test_a_parallelism_that_no_process_carries_is_refused(self):
        job = jobs.KeyedCount(self.dir)
        refused = wp.call(*self.command(job, "--parallelism", 2000), env=job.env)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("lower settings.parallelism", refused.stderr)

    def test_a_closed_standard_output_is_said(self):
        job = self.write("job.yaml", """
weir: 1
name: closed
types: {n: {n: int64 not null}}
sources:
  a: {connector: datagen, options: {count: 5, fields: {n: {kind: sequence}}}, schema: n}
sinks: {o: {connector: stdout, input: a, format: json}}
""")
        run = subprocess.run([wp.WEIR, "local", "run", job, "--state-dir", self.state],
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             timeout=wp.RUN_SECONDS_MAX, check=False,
                             preexec_fn=lambda: os.close(1))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("standard output is closed", run.stderr)

    def test_an_empty_state_directory_name_is_refused(self):
        job = jobs.KeyedCount(self.dir)
        refused = wp.call("local", "run", job.descriptor, "--state-dir", "")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertFalse(job.out.exists())

    def test_an_output_that_cannot_be_made_fails_the_first_start(self):
        job = jobs.KeyedCount(self.dir)
        text = job.descriptor.read_text()
        job.descriptor.write_text(text.replace(str(job.out), "/proc/weir-cannot-be-here"))
        refused = wp.call(*self.command(job), env=job.env)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("/proc/weir-cannot-be-here", refused.stderr)

    def test_changed_state_is_refused_with_its_reason(self):
        job = jobs.KeyedCount(self.dir)
        self.started(job).kill()
        text = job.descriptor.read_text()
        for before, after in (("c: count(*)", "c: max(n)"), ("n % 101", "n % 101 + 1000"),
                              ("sum(n)", "sum(-n)")):
            with self.subTest(after):
                self.assertIn(before, text)
                job.descriptor.write_text(text.replace(before, after))
                refused = wp.call(*self.command(job), env=job.env)
                self.assertEqual(refused.returncode, 5, refused.stderr)
                self.assertIn("counts", refused.stderr)
                self.assertIn("undo the change, or start the job anew", refused.stderr)
        job.descriptor.write_text(text)
        again = wp.Run(self, self.command(job), job.env)
        self.assertEqual(again.finish(), 0, again.output())
        job.check(self)

    def test_missing_input_ends_a_first_start_though_the_job_would_restart(self):
        job = jobs.WordCount(self.dir)
        job.env["INPUT"] = str(self.dir / "gone.txt")
        failed = wp.call(*self.command(job), env=job.env)
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertIn("gone.txt", failed.stderr)
        self.assertNotIn("starts again", failed.stderr)

    def test_a_state_directory_without_an_interval_is_warned_of(self):
        job = jobs.WordCount(self.dir, rate="200/s")
        text = job.descriptor.read_text()
        begin, end = text.index("  checkpointing:"), text.index("sources:")
        job.descriptor.write_text(text[:begin] + text[end:])
        run = wp.Run(self, self.command(job), job.env)
        # The second record is the job's.
        self.assertTrue(run.wait_until(lambda: len(list(self.state.glob("log/0*"))) > 1,
                                       "a running job"), run.output())
        run.kill(signal.SIGTERM)
        self.assertEqual(run.process.returncode, 143, run.output())
        self.assertIn("no settings.checkpointing.interval", run.output())
        self.assertIn("starts from the beginning: weir local run", run.output())

    def test_changed_input_is_refused(self):
        copy = self.write("flights.ndjson", jobs.FLIGHTS.read_text())
        job = jobs.FlightDelays(self.dir)
        job.env["FLIGHTS"] = str(copy)
        self.started(job).kill()
        with copy.open("a") as more:
            more.write("{}\n")
        refused = wp.call(*self.command(job), env=job.env)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("flights.ndjson", refused.stderr)


if __name__ == "__main__":
    unittest.main()
