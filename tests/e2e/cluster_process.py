"""Runs the real daemons of a cluster and talks to them with the real `weir` command."""

import json
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import weir_process as wp

BIN = pathlib.Path(wp.WEIR).parent
READY_SECONDS_MAX = 30


class Daemon:
    """One daemon process. Its ready line is read from its stdout, its log kept in a file."""

    def __init__(self, test, program, *settings, config=None, env=None):
        self.program = program
        log, self.log_path = tempfile.mkstemp(prefix=f"{program}-log-")
        command = [str(BIN / program)]
        if config is not None:
            command += ["--config", str(config)]
        for setting in settings:
            command += ["-D", setting]
        self.process = subprocess.Popen(
            command, cwd=wp.ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
            text=True, env={**os.environ, **(env or {})})
        os.close(log)
        test.addCleanup(self.clean_up)
        self.addresses = {}

    def wait_ready(self):
        """Reads the ready line. Fails if the daemon ends without one."""
        line = self.process.stdout.readline()
        if not line.startswith(f"{self.program} ready "):
            raise AssertionError(f"no ready line but {line!r}:\n{self.log()}")
        self.addresses = dict(word.split("=", 1) for word in line.split()[2:])
        return self

    @property
    def pid(self):
        return self.process.pid

    def kill(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=wp.RUN_SECONDS_MAX)

    def finish(self):
        return self.process.wait(timeout=wp.RUN_SECONDS_MAX)

    def owns_output(self, directory):
        """Whether it holds a sink's directory."""
        descriptors = pathlib.Path(f"/proc/{self.pid}/fd")
        return any(os.readlink(one).startswith(f"{directory}/.weir-owner")
                   for one in descriptors.iterdir() if one.is_symlink())

    def has_filled_stdout(self):
        """Whether the pipe that its standard output is has no room left."""
        with open(f"/proc/{self.pid}/fd/1", "wb", buffering=0) as pipe:
            return not select.select([], [pipe], [], 0)[1]

    def is_running(self):
        return self.process.poll() is None

    def log(self):
        return pathlib.Path(self.log_path).read_text()

    def clean_up(self):
        self.kill()
        self.process.stdout.close()
        os.unlink(self.log_path)


class Cluster:
    """A jobmanager and its taskmanagers on free loopback ports."""

    def __init__(self, test, scratch, settings=(), coordination="standalone"):
        self.test = test
        self.scratch = pathlib.Path(scratch)
        self.checkpoints = self.scratch / "checkpoints"
        self.checkpoints.mkdir(exist_ok=True)
        self.settings = [f"state.checkpoints.dir={self.checkpoints}",
                         "heartbeat.interval=200ms", "heartbeat.timeout=2s", *settings]
        if coordination == "file":
            self.settings += ["high-availability.type=file",
                              f"high-availability.storage-dir={self.scratch / 'ha'}"]
        self.jobmanager = None
        self.taskmanagers = []
        self.rpc_port = 0
        self.http_port = 0

    def start_jobmanager(self):
        """Starts it; a later one takes the ports of the first, so that everyone finds it."""
        self.jobmanager = Daemon(self.test, "weir-jobmanager", *self.settings,
                                 f"jobmanager.rpc.port={self.rpc_port}",
                                 f"rest.port={self.http_port}").wait_ready()
        self.rpc_port = self.jobmanager.addresses["rpc"].rpartition(":")[2]
        self.http_port = self.jobmanager.addresses["http"].rpartition(":")[2]
        return self.jobmanager

    def start_taskmanager(self, slots=2):
        taskmanager = Daemon(self.test, "weir-taskmanager", *self.settings,
                             f"jobmanager.rpc.port={self.rpc_port}", "taskmanager.data.port=0",
                             "metrics.prometheus.port=0", f"taskmanager.slots={slots}").wait_ready()
        self.taskmanagers.append(taskmanager)
        return taskmanager

    def start(self, taskmanagers=2, slots=2):
        self.start_jobmanager()
        for _ in range(taskmanagers):
            self.start_taskmanager(slots)
        return self

    # --- asking ---

    def env(self, more=None):
        return {"WEIR_JOBMANAGER": f"http://127.0.0.1:{self.http_port}", **(more or {})}

    def call(self, *args, env=None):
        """Runs a `weir` verb to its end."""
        return wp.call(*args, env=self.env(env))

    def ask(self, *args, env=None):
        """The JSON that a verb prints; fails if the verb does."""
        answer = self.call(*args, "-o", "json", env=env)
        self.test.assertEqual(answer.returncode, 0, answer.stderr)
        return json.loads(answer.stdout)

    def http(self, path, which=None, method="GET", body=None):
        """(status, text) of a request to a daemon's HTTP address."""
        address = (which or self.jobmanager).addresses["http"]
        request = urllib.request.Request(f"http://{address}{path}", data=body, method=method,
                                         headers={"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def job(self, reference):
        return self.ask("describe", reference)["job"]

    def submit(self, job, *args):
        """Submits without waiting. The job's id."""
        answer = self.call("run", job.descriptor, "--detach", *args, env=job.env)
        self.test.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout.strip()

    def wait_for(self, condition, what):
        """Asks again and again; returns the first result that holds."""
        deadline = time.monotonic() + wp.RUN_SECONDS_MAX
        while True:
            result = condition()
            if result:
                return result
            if time.monotonic() > deadline:
                raise AssertionError(f"waited too long for {what}\n{self.logs()}")
            time.sleep(wp.POLL_SECONDS)

    def wait_state(self, job_id, *states):
        """Waits until the job is in one of the states. Its summary."""
        def reached():
            answer = self.call("describe", job_id, "-o", "json")
            if answer.returncode != 0:
                return None
            job = json.loads(answer.stdout)["job"]
            return job if job["state"] in states else None
        return self.wait_for(reached, f"{states} of job {job_id}")

    def wait_ended(self, job_id):
        return self.wait_state(job_id, "FINISHED", "FAILED", "CANCELED")

    def logs(self):
        daemons = [self.jobmanager, *self.taskmanagers]
        return "\n".join(f"--- {daemon.program} {daemon.pid}\n{daemon.log()[-4000:]}"
                         for daemon in daemons if daemon is not None)
