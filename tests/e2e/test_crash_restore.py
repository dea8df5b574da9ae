"""A job killed at any moment and resumed, also with another parallelism, gives the output of one
that was never killed: every row once."""

import random
import unittest

import jobs
import weir_process as wp


class CrashRestore(wp.Scratch):
    def run_with_kills(self, job, seed):
        """Kills the job after a seeded number of its checkpoints and a seeded while."""
        choose = random.Random(seed)
        state = self.dir / f"state-{seed}"
        command = ["local", "run", job.descriptor, "--state-dir", state]
        for _ in range(choose.randint(1, 4)):
            run = wp.Run(self, [*command, "--parallelism", choose.randint(1, 4)], job.env)
            known = set(wp.completed_checkpoints(state))
            wanted = choose.randint(0, 6)
            run.wait_until(
                lambda: len(set(wp.completed_checkpoints(state)) - known) >= wanted
                or any(id > max(known, default=0) + wanted
                       for id in wp.completed_checkpoints(state)),
                f"{wanted} checkpoints")
            run.ended(within=choose.uniform(0, 0.05))
            run.kill()
        last = wp.Run(self, [*command, "--parallelism", choose.randint(1, 4)], job.env)
        self.assertEqual(last.finish(), 0, last.output())
        self.assertEqual(wp.temporaries(job.out), [])
        job.check(self)

    def run_seeds(self, make_job, count):
        for seed in wp.seeds(count):
            with self.subTest(job=make_job.name, seed=seed):
                scratch = self.dir / f"run-{seed}"
                scratch.mkdir()
                self.run_with_kills(make_job(scratch), seed)

    def test_word_count(self):
        self.run_seeds(jobs.WordCount, 4)

    def test_flight_delays(self):
        self.run_seeds(jobs.FlightDelays, 4)

    def test_updating_keyed_count(self):
        self.run_seeds(jobs.KeyedCount, 4)

    def test_killed_before_the_first_checkpoint(self):
        job = jobs.KeyedCount(self.dir, interval="1h")
        state = self.dir / "state"
        command = ["local", "run", job.descriptor, "--state-dir", state]
        run = wp.Run(self, command, job.env)
        run.wait_until(lambda: wp.temporaries(job.out), "the sink's first temporary file")
        run.kill()
        self.assertEqual(wp.parts(job.out), [])
        again = wp.Run(self, command, job.env)
        self.assertEqual(again.finish(), 0, again.output())
        job.check(self)


if __name__ == "__main__":
    unittest.main()
