"""Jobs on a cluster of real processes: given, shown, cancelled, killed, and still right."""

import http.server
import json
import shutil
import signal
import subprocess
import threading
import unittest

import cluster_process as cp
import jobs
import metrics_page
import weir_process as wp


class Cluster(wp.Scratch):
    def cluster(self, **options):
        return cp.Cluster(self, self.dir, **options)

    def test_a_job_runs_to_its_end_and_its_output_is_right(self):
        cluster = self.cluster().start(taskmanagers=1, slots=2)
        job = jobs.WordCount(self.dir, rate="20000/s")
        done = cluster.call("run", job.descriptor, "--wait", "finished", "--parallelism", 2,
                            env=job.env)
        self.assertEqual(done.returncode, 0, done.stderr + cluster.logs())
        self.assertIn("FINISHED", done.stderr)
        job.check(self)
        self.assertEqual(cluster.ask("list")["items"], [])
        (ended,) = cluster.ask("list", "-a")["items"]
        self.assertEqual(ended["state"], "FINISHED")

    def test_every_job_is_right_over_two_taskmanagers(self):
        cluster = self.cluster().start(taskmanagers=2, slots=2)
        for make_job in jobs.ALL:
            with self.subTest(job=make_job.name):
                job = make_job(self.dir)
                job_id = cluster.submit(job, "--parallelism", 4)
                running = cluster.wait_state(job_id, "RUNNING", "FINISHED")
                detail = cluster.ask("describe", job_id)
                hosts = {one["taskmanager"] for one in detail["subtasks"]}
                if running["state"] == "RUNNING":
                    self.assertEqual(len(hosts), 2, detail["subtasks"])
                self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
                job.check(self)

    def test_what_people_ask_is_answered(self):
        cluster = self.cluster().start(taskmanagers=1, slots=2)
        empty = cluster.ask("list")
        self.assertEqual(empty, {"api": "weir.cli/v1", "kind": "JobList", "items": []})
        job = jobs.KeyedCount(self.dir, rate="2000/s")
        submitted = cluster.ask("run", job.descriptor, "--detach", "--request-id", "once")
        again = cluster.ask("run", job.descriptor, "--detach", "--request-id", "once")
        job_id = submitted["job"]["id"]
        self.assertEqual(again["job"]["id"], job_id)
        self.assertFalse(again["new"])
        taken = cluster.call("run", job.descriptor, "--detach")
        self.assertEqual(taken.returncode, 5, taken.stderr)
        cluster.wait_state(job_id, "RUNNING")
        for reference in ("keyed-count", job_id, job_id[:6]):
            self.assertEqual(cluster.job(reference)["id"], job_id)
        self.assertEqual(cluster.call("describe", "none").returncode, 4)
        self.assertIn("keyed-count", cluster.call("list").stdout)
        text = cluster.call("describe", "keyed-count").stdout
        self.assertIn("counts", text)
        checkpoint = cluster.call("checkpoints", "keyed-count", "--trigger")
        self.assertEqual(checkpoint.returncode, 0, checkpoint.stderr)
        listed = cluster.ask("checkpoints", "keyed-count")["items"]
        self.assertIn(int(checkpoint.stdout),
                      [one["id"] for one in listed if one["status"] == "COMPLETED"])
        lines = [line["text"] for line in cluster.ask("logs", "keyed-count")["items"]]
        self.assertTrue(any("jobmanager" in line for line in lines), lines)
        self.assertTrue(any(f"tasks deployed job={job_id}" in line for line in lines), lines)
        self.assertTrue(cluster.ask("logs", "--of-jobmanager")["items"])
        (taskmanager,) = cluster.ask("taskmanagers")["items"]
        self.assertTrue(cluster.ask("logs", "--of-taskmanager", taskmanager["id"][:8])["items"])
        refused = cluster.call("cancel", "keyed-count")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        cancelled = cluster.call("cancel", "keyed-count", "--yes")
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.assertEqual(cluster.job(job_id)["state"], "CANCELED")

    def test_mistakes_come_back_with_their_code(self):
        cluster = self.cluster().start(taskmanagers=1)
        bad = self.write("bad.yaml", "weir: 1\nname: x\nsourcs: {}\n")
        answer = cluster.call("run", bad)
        self.assertEqual(answer.returncode, 3)
        self.assertIn(f"{bad}:3:1", answer.stderr)
        relative = self.write("relative.yaml", """
            weir: 1
            name: relative
            sources:
              lines: {connector: file, options: {path: in/lines.txt}, format: text}
            sinks:
              out: {connector: blackhole, input: lines}
            """)
        answer = cluster.call("run", relative)
        self.assertEqual(answer.returncode, 1, answer.stderr)
        self.assertIn("the path of 'lines', in/lines.txt, is relative", answer.stderr)
        unreachable = wp.call("list", "--jobmanager", "http://127.0.0.1:9", "-o", "json")
        self.assertEqual(unreachable.returncode, 6)
        self.assertEqual(json.loads(unreachable.stderr)["kind"], "Error")
        self.assertEqual(unreachable.stdout, "")

    def test_the_flag_wins_over_the_environment(self):
        cluster = self.cluster().start(taskmanagers=1, slots=2)
        job = jobs.KeyedCount(self.dir, rate="2000/s")
        job_id = cluster.submit(job)
        live = f"http://127.0.0.1:{cluster.http_port}"
        dead = "http://127.0.0.1:9"
        for verb in (["list"], ["taskmanagers"], ["describe", job_id], ["checkpoints", job_id],
                     ["logs", job_id], ["logs", "--of-jobmanager"], ["cancel", job_id, "--yes"],
                     ["run", job.descriptor, "--detach"]):
            with self.subTest(verb=verb):
                answer = wp.call(*verb, "--jobmanager", dead, env={"WEIR_JOBMANAGER": live})
                self.assertEqual(answer.returncode, 6, answer.stderr)
                self.assertIn("127.0.0.1:9", answer.stderr)
                if verb[0] != "run":
                    answer = wp.call(*verb, "--jobmanager", live, env={"WEIR_JOBMANAGER": dead})
                    self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_a_run_whose_job_is_cancelled_has_not_done_what_was_wanted(self):
        cluster = self.cluster().start(taskmanagers=1, slots=2)
        job = jobs.KeyedCount(self.dir, rate="2000/s")
        run = wp.Run(self, ["run", job.descriptor, "--wait", "finished"], env=cluster.env())
        cluster.wait_for(lambda: cluster.ask("list")["items"], "the job")
        cancelled = cluster.call("cancel", "keyed-count", "--yes")
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        run.wait_until(run.ended, "the end of the run")
        self.assertEqual(run.process.returncode, 1, run.output())

    def test_requests_that_there_are_not_come_back_with_what_there_is(self):
        cluster = self.cluster().start(taskmanagers=0)
        for method in ("DELETE", "PUT"):
            status, text = cluster.http("/v1/jobs/x", method=method)
            self.assertEqual(status, 405, text)
            self.assertIn(f"/v1/jobs/x takes GET, HEAD, but not {method}", text)
        self.assertEqual(cluster.http("/v1/job", method="DELETE")[0], 404)
        status, text = cluster.http("/v1/jobs?al=true")
        self.assertEqual(status, 400, text)
        self.assertIn("it has all", text)

    def test_a_stranger_that_answers_is_told_from_a_jobmanager(self):
        class Stranger(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Stranger)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        job = jobs.WordCount(self.dir)
        for verb in (["list"], ["describe", "x"], ["checkpoints", "x"], ["cancel", "x", "-y"],
                     ["logs", "x"], ["taskmanagers"], ["run", job.descriptor, "--detach"]):
            with self.subTest(verb=verb[0]):
                answer = wp.call(*verb, "--jobmanager", url, "-o", "json", env=job.env)
                self.assertEqual(answer.returncode, 1, answer.stderr)
                self.assertEqual(answer.stdout, "")
                error = json.loads(answer.stderr)
                self.assertIn("does not answer like a Weir jobmanager", error["message"])

    def test_a_local_run_leaves_the_storage_of_a_cluster_alone(self):
        cluster = self.cluster(coordination="file").start(taskmanagers=1)
        job = jobs.FlightDelays(self.dir, rate="3000/s")
        job_id = cluster.submit(job)
        cluster.wait_for(lambda: cluster.job(job_id)["checkpoints"]["completed"] > 1, "checkpoints")
        cluster.jobmanager.kill()
        refused = wp.call("local", "run", job.descriptor, "--state-dir", self.dir / "ha",
                          env=job.env)
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.assertIn("is the storage directory of a cluster", refused.stderr)
        cluster.start_jobmanager()
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)

    def test_metrics_can_be_scraped(self):
        cluster = self.cluster().start(taskmanagers=1)
        job = jobs.KeyedCount(self.dir, rate="2000/s")
        job_id = cluster.submit(job)
        # Some metrics of a job are there from its first checkpoint on.
        cluster.wait_for(lambda: cluster.job(job_id)["checkpoints"]["completed"], "a checkpoint")
        documented = metrics_page.Page()
        for daemon, heading in ((cluster.jobmanager, "Of the jobmanager"),
                                (cluster.taskmanagers[0], "Of a taskmanager")):
            status, text = cluster.http("/metrics", daemon)
            self.assertEqual(status, 200)
            self.promtool("metrics", text)
            self.assertEqual(metrics_page.scraped(text), documented.table(heading))
        self.assertIn('weir_job_tasks_running{job="keyed-count"',
                      cluster.http("/metrics")[1])
        self.assertEqual(cluster.http("/readyz")[0], 200)

    def test_the_alerts_of_the_documentation_hold(self):
        page = metrics_page.Page()
        self.promtool("config", page.block("scrape_configs:"))
        self.promtool("rules", page.block("groups:"))

    def promtool(self, what, text):
        """Lets Prometheus check a text of its own kind."""
        promtool = shutil.which("promtool")
        self.assertIsNotNone(promtool, "promtool (package prometheus) is missing")
        place = [] if what == "metrics" else ["/dev/stdin"]
        checked = subprocess.run([promtool, "check", what, *place], input=text, text=True,
                                 capture_output=True, timeout=30, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_a_job_waits_for_slots_and_says_so(self):
        cluster = self.cluster().start(taskmanagers=1, slots=1)
        job = jobs.WordCount(self.dir, rate="20000/s")
        job_id = cluster.submit(job, "--parallelism", 3)
        waiting = cluster.wait_for(lambda: cluster.job(job_id)["waits_for"], "a reason")
        self.assertIn("3 slots", waiting)
        cluster.start_taskmanager(slots=2)
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)

    def test_the_cluster_may_say_that_jobs_do_not_restart(self):
        cluster = self.cluster(settings=["restart-strategy.type=none"])
        cluster.start(taskmanagers=1)
        job = jobs.FlightDelays(self.dir, rate="3000/s")
        job_id = cluster.submit(job)
        cluster.wait_state(job_id, "RUNNING")
        cluster.taskmanagers[0].kill()
        ended = cluster.wait_ended(job_id)
        self.assertEqual(ended["state"], "FAILED", cluster.logs())
        self.assertIn("was lost", ended["cause"])

    def test_state_beyond_its_memory_fails_the_job_and_not_the_taskmanager(self):
        cluster = self.cluster(settings=["taskmanager.memory.process=32mb"])
        cluster.start(taskmanagers=1, slots=1)
        big = self.write("big.yaml", """
            weir: 1
            name: big
            settings: {restart: {strategy: none}}
            types:
              number: {n: int64 not null}
            sources:
              numbers:
                connector: datagen
                options: {count: 5000000, fields: {n: {kind: sequence, start: 0, step: 1}}}
                schema: number
            transforms:
              counts: {type: aggregate, input: numbers, key_by: {k: n}, aggregates: {c: count(*)}}
            sinks:
              out: {connector: blackhole, input: counts, changelog: log}
            """)
        answer = cluster.call("run", big, "--wait", "finished")
        self.assertEqual(answer.returncode, 1, answer.stderr)
        self.assertRegex(answer.stderr, r"subtask 1 of 1: the state held .* takes \d+ MiB")
        self.assertIn("of at most 16 MiB: give it more with taskmanager.memory.process",
                      answer.stderr)
        self.assertTrue(cluster.taskmanagers[0].is_running())
        job = jobs.WordCount(self.dir, rate="20000/s")
        job_id = cluster.submit(job, "--parallelism", 1)
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)

    def test_a_taskmanager_that_wakes_too_late_takes_nothing_back(self):
        cluster = self.cluster().start(taskmanagers=2, slots=2)
        job = jobs.KeyedCount(self.dir, rate="15000/s")
        text = job.descriptor.read_text()
        job.descriptor.write_text(text.replace(
            "\ntypes:", "\n  restart: {strategy: fixed_delay, delay: 1500ms}\ntypes:", 1))
        job_id = cluster.submit(job, "--parallelism", 4)
        cluster.wait_for(lambda: cluster.job(job_id)["checkpoints"]["completed"] > 2, "checkpoints")
        # The one that holds the output directory goes: a process that stands still keeps it.
        killed, paused = sorted(cluster.taskmanagers, key=lambda one: not one.owns_output(job.out))
        cluster.start_taskmanager()
        killed.kill()
        cluster.wait_state(job_id, "RESTARTING")
        # What the next start asks of them, sooner than they count as lost, waits in their sockets.
        sleepers = [paused, cluster.taskmanagers[-1]]
        for one in sleepers:
            one.process.send_signal(signal.SIGSTOP)
        cluster.wait_for(lambda: cluster.ask("taskmanagers")["items"] == [], "their loss")
        for _ in range(2):
            cluster.start_taskmanager()
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)
        for one in sleepers:
            one.process.send_signal(signal.SIGCONT)
        # They have read all that was sent before once they are back.
        cluster.wait_for(lambda: len(cluster.ask("taskmanagers")["items"]) == 4, "their return")
        for one in sleepers:
            self.assertEqual(one.kill(signal.SIGTERM), 0, one.log())
        job.check(self)

    def start_with_a_hanging_task(self):
        """A cluster whose only taskmanager writes for ever: nobody reads its output. The job's id."""
        cluster = self.cluster(settings=["taskmanager.cancel-timeout=300ms"])
        cluster.start(taskmanagers=1, slots=1)
        endless = self.write("endless.yaml", """
            weir: 1
            name: endless
            types:
              number: {n: int64 not null}
            sources:
              numbers:
                connector: datagen
                options: {fields: {n: {kind: sequence, start: 0, step: 1}}}
                schema: number
              others:
                connector: datagen
                options: {fields: {n: {kind: sequence, start: 0, step: 1}}, rate: 100/s}
                schema: number
            sinks:
              out: {connector: stdout, input: numbers}
              nowhere: {connector: blackhole, input: others}
            """)
        answer = cluster.call("run", endless, "--detach")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        cluster.wait_for(lambda: cluster.taskmanagers[0].has_filled_stdout(), "a full pipe")
        return cluster, answer.stdout.strip()

    def check_ended_itself(self, taskmanager, job_id):
        self.assertEqual(taskmanager.finish(), 1, taskmanager.log())
        self.assertRegex(taskmanager.log(), "have not ended in 300ms.* "
                         rf"tasks=numbers -> out\[0\] of job {job_id}\n")

    def test_a_taskmanager_with_a_task_that_hangs_ends_itself(self):
        cluster, job_id = self.start_with_a_hanging_task()
        cancelled = cluster.call("cancel", job_id, "--yes")
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.check_ended_itself(cluster.taskmanagers[0], job_id)
        # A new one has room for the next job.
        cluster.start_taskmanager(slots=1)
        job = jobs.WordCount(self.dir, rate="20000/s")
        job_id = cluster.submit(job, "--parallelism", 1)
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)

    def test_so_does_one_whose_jobmanager_is_gone(self):
        cluster, job_id = self.start_with_a_hanging_task()
        cluster.jobmanager.kill()
        self.check_ended_itself(cluster.taskmanagers[0], job_id)

    def test_a_killed_taskmanager_is_replaced(self):
        cluster = self.cluster().start(taskmanagers=2, slots=2)
        job = jobs.FlightDelays(self.dir, rate="3000/s")
        job_id = cluster.submit(job, "--parallelism", 4)
        cluster.wait_for(lambda: cluster.job(job_id)["checkpoints"]["completed"] > 2, "checkpoints")
        cluster.taskmanagers[0].kill()
        waiting = cluster.wait_for(lambda: cluster.job(job_id)["waits_for"], "a reason")
        self.assertIn("4 slots", waiting)
        cause = cluster.job(job_id)["cause"]
        self.assertIn("was lost", cause)
        cluster.start_taskmanager()
        self.assertEqual(cluster.wait_ended(job_id)["state"], "FINISHED", cluster.logs())
        job.check(self)
        self.assertGreaterEqual(cluster.job(job_id)["restarts"], 1)


if __name__ == "__main__":
    unittest.main()
