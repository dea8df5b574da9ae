"""Damaged checkpoints and full disks give a clear error or an older checkpoint, never a wrong
answer."""

import os
import signal
import subprocess
import unittest

import jobs
import weir_process as wp


def flip_byte(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x40
    path.write_bytes(data)


class Damage(wp.Scratch):
    def interrupted(self, job, checkpoints=4):
        """Runs the job until it has so many checkpoints, then suspends it: a kill could leave one
        that was written and not yet listed, which nobody would miss."""
        self.state = self.dir / "state"
        self.command = ["local", "run", job.descriptor, "--state-dir", self.state]
        run = wp.Run(self, self.command, job.env)
        self.assertTrue(run.wait_until(
            lambda: (wp.completed_checkpoints(self.state) or [0])[-1] >= checkpoints,
            "checkpoints"), run.output())
        run.kill(signal.SIGTERM)
        return wp.completed_checkpoints(self.state)

    def directory(self, checkpoint):
        return self.state / f"chk-{checkpoint}"

    def finish(self, job):
        run = wp.Run(self, self.command, job.env)
        self.assertEqual(run.finish(), 0, run.output())
        job.check(self)
        return run.output()

    def test_truncated_metadata_falls_back(self):
        job = jobs.KeyedCount(self.dir)
        newest = self.interrupted(job)[-1]
        metadata = self.directory(newest) / "_metadata"
        os.truncate(metadata, metadata.stat().st_size // 2)
        self.assertIn("passed over", self.finish(job))

    def test_flipped_byte_in_metadata_falls_back(self):
        job = jobs.FlightDelays(self.dir)
        newest = self.interrupted(job)[-1]
        metadata = self.directory(newest) / "_metadata"
        flip_byte(metadata, metadata.stat().st_size // 3)
        self.assertIn("passed over", self.finish(job))

    def test_flipped_byte_in_state_falls_back(self):
        # More keys than fit into the handle, so that the state is in files.
        job = jobs.KeyedCount(self.dir)
        newest = self.interrupted(job)[-1]
        files = [path for path in self.directory(newest).iterdir() if path.name != "_metadata"]
        self.assertTrue(files, "the checkpoint has no state files")
        for path in files:
            flip_byte(path, path.stat().st_size // 2)
        self.assertIn("passed over", self.finish(job))

    def test_state_file_of_an_older_checkpoint_falls_back(self):
        job = jobs.KeyedCount(self.dir)
        *_, older, newest = self.interrupted(job)
        state_files = lambda checkpoint: [path for path in self.directory(checkpoint).iterdir()
                                          if path.name != "_metadata"]
        by_size = {path.stat().st_size: path for path in state_files(older)}
        swapped = 0
        for path in state_files(newest):
            other = by_size.get(path.stat().st_size)
            if other is None or other.read_bytes() == path.read_bytes():
                continue
            path.write_bytes(other.read_bytes())
            swapped += 1
        self.assertTrue(swapped, "no state file of the same size")
        self.assertIn("passed over", self.finish(job))

    def test_missing_state_file_falls_back(self):
        job = jobs.KeyedCount(self.dir)
        newest = self.interrupted(job)[-1]
        files = [path for path in self.directory(newest).iterdir() if path.name != "_metadata"]
        self.assertTrue(files, "the checkpoint has no state files")
        files[0].unlink()
        self.assertIn("passed over", self.finish(job))

    def test_nothing_readable_is_an_error_that_names_the_files(self):
        job = jobs.KeyedCount(self.dir)
        for checkpoint in self.interrupted(job):
            os.truncate(self.directory(checkpoint) / "_metadata", 10)
        before = [path.name for path in wp.parts(job.out)]
        run = wp.Run(self, self.command, job.env)
        self.assertNotEqual(run.finish(), 0)
        for checkpoint in wp.completed_checkpoints(self.state):
            self.assertIn(f"chk-{checkpoint}/_metadata", run.output())
        self.assertIn("restore the damaged files from a copy, or start the job anew", run.output())
        self.assertEqual([path.name for path in wp.parts(job.out)], before, "output was touched")


@unittest.skipUnless(os.geteuid() == 0, "mounting a small file system needs root")
class FullDisk(wp.Scratch):
    def small_disk(self, kilobytes):
        place = self.dir / "small"
        place.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)],
            capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount: {mounted.stderr}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)], check=False)
        return place

    def enlarge(self, place):
        subprocess.run(["mount", "-o", "remount,size=200m", str(place)], check=True)

    def wait_for_full(self, run):
        self.assertTrue(run.wait_until(lambda: "No space left" in run.output(), "a full disk"),
                        run.output())
        self.assertIn("free space", run.output())

    def test_a_full_state_directory_is_named_and_survived(self):
        place = self.small_disk(48)
        job = jobs.KeyedCount(self.dir)
        job.keys = 20011  # no room for this much state
        job.descriptor.write_text(job.descriptor.read_text().replace("n % 101", "n % 20011"))
        run = wp.Run(self, ["local", "run", job.descriptor, "--state-dir", place / "state"],
                     job.env)
        self.wait_for_full(run)
        self.enlarge(place)
        self.assertEqual(run.finish(), 0, run.output())
        job.check(self)

    def test_a_full_output_directory_is_named_and_survived(self):
        place = self.small_disk(256)
        job = jobs.KeyedCount(place)
        run = wp.Run(self, ["local", "run", job.descriptor, "--state-dir", self.dir / "state"],
                     job.env)
        self.wait_for_full(run)
        self.enlarge(place)
        self.assertEqual(run.finish(), 0, run.output())
        job.check(self)

    def test_without_restarts_a_full_disk_fails_the_job_and_the_next_run_goes_on(self):
        place = self.small_disk(256)
        job = jobs.KeyedCount(place)
        text = job.descriptor.read_text()
        job.descriptor.write_text(
            text.replace("settings:", "settings:\n  restart: {strategy: none}", 1))
        command = ["local", "run", job.descriptor, "--state-dir", self.dir / "state"]
        run = wp.Run(self, command, job.env)
        self.assertEqual(run.finish(), 1, run.output())
        self.assertIn("No space left", run.output())
        self.enlarge(place)
        again = wp.Run(self, command, job.env)
        self.assertEqual(again.finish(), 0, again.output())
        job.check(self)


if __name__ == "__main__":
    unittest.main()
