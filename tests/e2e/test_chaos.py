"""Daemons of a cluster are killed at seeded moments and replaced, over and over, while jobs run;
what the jobs commit in the end is what they would have without."""

import json
import os
import random
import unittest

import cluster_process as cp
import jobs
import weir_process as wp

# Kills in one run of the whole file, over all jobs; WEIR_CHAOS_KILLS makes it a longer one.
KILLS = int(os.environ.get("WEIR_CHAOS_KILLS", 30))
TASKMANAGERS = 2
SLOTS = 2


class Chaos(wp.Scratch):
    def run_with_kills(self, make_job, seed, kills):
        choose = random.Random(seed)
        scratch = self.dir / f"run-{seed}"
        scratch.mkdir()
        job = make_job(scratch)
        cluster = cp.Cluster(self, scratch, coordination="file",
                             settings=["heartbeat.timeout=1s"]).start(TASKMANAGERS, SLOTS)
        job_id = cluster.submit(job, "--parallelism", TASKMANAGERS * SLOTS)
        done = 0
        while done < kills:
            before = self.progress(cluster, job_id)
            if before is None:
                break
            # Sometimes in the middle of a restart, sometimes after checkpoints of the new start.
            wanted = before + choose.choice([0, 0, 1, 3])
            reached = cluster.wait_for(
                lambda: (now := self.progress(cluster, job_id)) is None or now >= wanted,
                f"{wanted} checkpoints")
            self.assertTrue(reached)
            self.kill_one(cluster, choose)
            done += 1
        ended = cluster.wait_ended(job_id)
        self.assertEqual(ended["state"], "FINISHED", f"{ended}\n{cluster.logs()}")
        self.assertEqual(wp.temporaries(job.out), [])
        job.check(self)
        return done

    @staticmethod
    def progress(cluster, job_id):
        """Id of the job's newest checkpoint; None once it has ended; 0 while nobody answers."""
        answer = cluster.call("describe", job_id, "-o", "json", "--timeout", 5)
        if answer.returncode != 0:
            return 0
        job = json.loads(answer.stdout)["job"]
        if job["state"] in ("FINISHED", "FAILED", "CANCELED"):
            return None
        return (job["checkpoints"]["last"] or {"id": 0})["id"]

    @staticmethod
    def kill_one(cluster, choose):
        victim = choose.randrange(TASKMANAGERS + 1)
        if victim == TASKMANAGERS:
            cluster.jobmanager.kill()
            cluster.start_jobmanager()
        else:
            cluster.taskmanagers[victim].kill()
            cluster.start_taskmanager(SLOTS)
            cluster.taskmanagers[victim] = cluster.taskmanagers.pop()

    def run_seeds(self, make_job):
        """Runs jobs until there were enough kills: one may end before it had its share."""
        wanted = KILLS // 3
        done = 0
        seed = wp.seeds(1)[0]
        while done < wanted:
            with self.subTest(seed=seed):
                kills = self.run_with_kills(make_job, seed, wanted - done)
                print(f"{kills} kills, seed {seed}", flush=True)
                self.assertGreater(kills, 0, "the job ended before anything was killed")
                done += kills
                seed += 1
                continue
            break  # the failure is noted

    def test_word_count(self):
        self.run_seeds(lambda scratch: jobs.WordCount(scratch, interval="100ms", rate="400/s"))

    def test_flight_delays(self):
        self.run_seeds(lambda scratch: jobs.FlightDelays(scratch, interval="100ms", rate="700/s"))

    def test_updating_keyed_count(self):
        self.run_seeds(lambda scratch: jobs.KeyedCount(scratch, interval="100ms", rate="3000/s"))


if __name__ == "__main__":
    unittest.main()
