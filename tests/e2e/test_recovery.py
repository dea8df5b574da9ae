"""What a new jobmanager makes of what the former one left: a checkpoint directory that is away, a job
that was being cancelled, epochs of another storage directory."""

import json
import signal
import unittest

import cluster_process as cp
import jobs
import weir_process as wp

FAST_RETRY = "\n  restart: {strategy: fixed_delay, attempts: 1, delay: 50ms}\n"


class Recovery(wp.Scratch):
    def start(self):
        """A cluster whose jobmanager can be followed by another."""
        return cp.Cluster(self, self.dir, coordination="file").start(taskmanagers=1, slots=2)

    def submit(self, cluster, job):
        """Submits a job that soon tries again. Its id, once it has checkpoints."""
        text = job.descriptor.read_text()
        job.descriptor.write_text(text.replace("\ntypes:", FAST_RETRY + "types:", 1))
        job_id = cluster.submit(job)
        cluster.wait_for(lambda: cluster.job(job_id)["checkpoints"]["completed"] > 1, "checkpoints")
        return job_id

    def epoch(self, cluster):
        return int(json.loads(cluster.http("/v1/cluster")[1])["epoch"])

    def wait_taskmanager(self, cluster):
        cluster.wait_for(lambda: len(cluster.ask("taskmanagers")["items"]) == 1, "its return")

    def check_waits(self, move_away, come_back):
        cluster = self.start()
        job = jobs.KeyedCount(self.dir, rate="4000/s", count=12000)
        job_id = self.submit(cluster, job)
        cluster.jobmanager.kill()
        move_away(cluster)
        cluster.start_jobmanager()
        # More than the one that its strategy allows.
        cluster.wait_for(lambda: cluster.job(job_id)["restarts"] > 1, "restarts")
        waiting = cluster.wait_state(job_id, "RESTARTING")
        directory = cluster.checkpoints / job_id
        self.assertIn(f"the checkpoint directory {directory} is not there; it should hold",
                      waiting["cause"])
        self.assertFalse(directory.exists())
        come_back(cluster)
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)

    def test_a_job_waits_for_the_disk_of_its_checkpoints(self):
        away = self.dir / "away"
        self.check_waits(lambda cluster: cluster.checkpoints.rename(away),
                         lambda cluster: away.rename(cluster.checkpoints))

    def test_a_job_waits_where_the_place_of_the_disk_is_empty(self):
        away = self.dir / "away"

        def move_away(cluster):
            cluster.checkpoints.rename(away)
            cluster.checkpoints.mkdir()

        def come_back(cluster):
            for one in away.iterdir():
                one.rename(cluster.checkpoints / one.name)

        self.check_waits(move_away, come_back)

    def test_a_job_waits_where_the_directory_is_not_set_any_more(self):
        cluster = self.start()
        job = jobs.KeyedCount(self.dir, rate="4000/s", count=12000)
        job_id = self.submit(cluster, job)
        cluster.jobmanager.kill()
        settings = cluster.settings
        cluster.settings = [one for one in settings if not one.startswith("state.checkpoints.dir=")]
        self.assertNotEqual(cluster.settings, settings)
        cluster.start_jobmanager()
        cluster.wait_for(lambda: cluster.job(job_id)["restarts"] > 1, "restarts")
        waiting = cluster.wait_state(job_id, "RESTARTING")
        self.assertIn("state.checkpoints.dir is not set", waiting["cause"])
        cluster.jobmanager.kill()
        cluster.settings = settings
        cluster.start_jobmanager()
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)

    def test_taskmanagers_take_a_jobmanager_with_another_storage_directory(self):
        cluster = self.start()
        cluster.jobmanager.kill()
        cluster.start_jobmanager()
        self.wait_taskmanager(cluster)
        epoch = self.epoch(cluster)
        cluster.jobmanager.kill()
        cluster.settings = [one for one in cluster.settings if "storage-dir=" not in one]
        cluster.settings.append(f"high-availability.storage-dir={self.dir / 'other'}")
        cluster.start_jobmanager()
        self.assertLess(self.epoch(cluster), epoch)
        self.wait_taskmanager(cluster)
        job = jobs.KeyedCount(self.dir, rate="40000/s", count=4000)
        self.assertEqual(cluster.wait_ended(cluster.submit(job))["state"], "FINISHED",
                         cluster.logs())
        job.check(self)

    def test_an_answered_cancel_survives_the_jobmanager(self):
        cluster = self.start()
        job = jobs.KeyedCount(self.dir, rate="2000/s")
        job_id = self.submit(cluster, job)
        # Its tasks cannot end, so neither can the job before the jobmanager is killed.
        cluster.taskmanagers[0].process.send_signal(signal.SIGSTOP)
        status, text = cluster.http(f"/v1/jobs/{job_id}/cancel", method="POST")
        self.assertEqual(status, 202, text)
        cluster.jobmanager.kill()
        cluster.taskmanagers[0].process.send_signal(signal.SIGCONT)
        cluster.start_jobmanager()
        ended = cluster.wait_ended(job_id)
        self.assertEqual(ended["state"], "CANCELED", cluster.logs())
        self.assertNotIn("job restored", cluster.jobmanager.log())
        cluster.jobmanager.kill(signal.SIGTERM)
        cluster.start_jobmanager()
        # Not kept is not none.
        later = cluster.wait_ended(job_id)
        self.assertEqual(later["rows"]["read"], None)
        self.assertEqual(later["checkpoints"]["completed"], None)
        described = cluster.call("describe", job_id)
        self.assertIn("ended under an earlier jobmanager", described.stdout)
        self.assertEqual(cluster.ask("list")["items"], [])


if __name__ == "__main__":
    unittest.main()
