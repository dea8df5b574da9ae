"""The daemons as processes: flags, configuration, ready line, ports, signals."""

import signal
import socket
import subprocess
import unittest

import cluster_process as cp
import weir_process as wp

PROGRAMS = ("weir-jobmanager", "weir-taskmanager")


def call(program, *args):
    return subprocess.run([str(cp.BIN / program), *map(str, args)], cwd=wp.ROOT, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)


class Daemons(wp.Scratch):
    def test_version_help_and_mistakes_in_flags(self):
        for program in PROGRAMS:
            self.assertRegex(call(program, "--version").stdout, rf"^{program} \d+\.\d+\.\d+\n$")
            self.assertIn("--print-config", call(program, "--help").stdout)
            wrong = call(program, "--confg", "x")
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("--help", wrong.stderr)

    def test_bad_configuration_names_every_place_and_starts_nothing(self):
        config = self.write("weir.yaml", "rest:\n  prt: 1\ntaskmanager: {slots: many}\n")
        for program in PROGRAMS:
            for more in ([], ["--check-config"], ["--print-config"]):
                wrong = call(program, "--config", config, *more)
                self.assertEqual(wrong.returncode, 78)
                self.assertEqual(wrong.stdout, "")
                self.assertIn(f"{config}:2:3: error", wrong.stderr)
                self.assertIn(f"{config}:3:22: error", wrong.stderr)
        missing = call("weir-jobmanager", "--config", self.dir / "none.yaml")
        self.assertEqual(missing.returncode, 78)
        self.assertIn("none.yaml", missing.stderr)

    def test_mistakes_in_assignments_are_told_by_the_program_that_was_called(self):
        wrong = call("weir-jobmanager", "-D", "rest.prt=1", "-D", "rest.port")
        self.assertEqual(wrong.returncode, 78)
        self.assertIn("-D rest.prt=1: error: unknown key 'prt'", wrong.stderr)
        self.assertIn("weir-jobmanager: error: -D rest.port sets nothing", wrong.stderr)

    def test_a_second_jobmanager_on_the_same_storage_is_told_what_to_do(self):
        storage = ("high-availability.type=file",
                   f"high-availability.storage-dir={self.dir / 'ha'}", "rest.port=0",
                   "jobmanager.rpc.port=0")
        first = cp.Daemon(self, "weir-jobmanager", *storage).wait_ready()
        second = call("weir-jobmanager", *[word for one in storage for word in ("-D", one)])
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"is locked by process {first.pid}; stop that process, or give this "
                      "jobmanager another high-availability.storage-dir", second.stderr)

    def test_print_config_shows_values_and_where_they_come_from(self):
        config = self.write("weir.yaml", "taskmanager:\n  slots: 7\n")
        shown = call("weir-taskmanager", "--config", config, "-D", "rest.port=99", "--print-config")
        self.assertEqual(shown.returncode, 0)
        self.assertIn(f"slots: 7  # {config}:2:10", shown.stdout)
        self.assertIn("port: 99  # -D rest.port=99", shown.stdout)
        self.assertEqual(call("weir-jobmanager", "--config", config, "--check-config").returncode, 0)

    def test_addresses_beyond_this_machine_are_refused(self):
        for setting in ("rest.bind-address=0.0.0.0", "jobmanager.bind-host=0.0.0.0"):
            refused = call("weir-jobmanager", "-D", setting)
            self.assertEqual(refused.returncode, 78)
            self.assertIn("allow-insecure", refused.stderr)

    def test_a_port_in_use_ends_the_daemon_with_advice(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for program, settings in (
                    ("weir-jobmanager", [f"rest.port={port}", "jobmanager.rpc.port=0"]),
                    ("weir-jobmanager", ["rest.port=0", f"jobmanager.rpc.port={port}"]),
                    ("weir-taskmanager", [f"taskmanager.data.port={port}",
                                          "metrics.prometheus.port=0"]),
                    ("weir-taskmanager", ["taskmanager.data.port=0",
                                          f"metrics.prometheus.port={port}"])):
                ended = call(program, *[word for one in settings for word in ("-D", one)])
                self.assertEqual(ended.returncode, 1, settings)
                self.assertIn(f"cannot listen on 127.0.0.1:{port}: the port is in use; stop",
                              ended.stderr)
                self.assertNotIn("::bind", ended.stderr)
                self.assertNotIn(" ready ", ended.stdout)

    def test_an_unknown_host_ends_the_daemon_with_advice(self):
        for setting in ("rest.bind-address=no..host", "jobmanager.bind-host=no..host"):
            ended = call("weir-jobmanager", "-D", setting, "-D", "rest.port=0", "-D",
                         "jobmanager.rpc.port=0", "-D", "security.allow-insecure=true")
            self.assertEqual(ended.returncode, 1)
            self.assertRegex(ended.stderr, r"cannot listen on no\.\.host:0: no such host: .*; configure")

    def test_a_missing_work_directory_ends_the_daemon_with_advice(self):
        ended = call("weir-jobmanager", "-D", "rest.port=0", "-D", "jobmanager.rpc.port=0", "-D",
                     f"jobmanager.work-dir={self.dir / 'none'}")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("create it", ended.stderr)

    def test_ready_line_in_the_work_directory_and_a_clean_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            daemon = cp.Daemon(self, "weir-jobmanager", "rest.port=0", "jobmanager.rpc.port=0",
                               f"jobmanager.work-dir={self.dir}").wait_ready()
            ready = self.dir / "weir-jobmanager.ready"
            self.assertIn(daemon.addresses["http"], ready.read_text())
            self.assertEqual(daemon.addresses["pid"], str(daemon.pid))
            self.assertEqual(daemon.kill(number), 0, daemon.log())
            self.assertFalse(ready.exists())

    def test_a_taskmanager_waits_for_its_jobmanager(self):
        with socket.create_server(("127.0.0.1", 0)) as reserved:
            port = reserved.getsockname()[1]
        taskmanager = cp.Daemon(self, "weir-taskmanager", f"jobmanager.rpc.port={port}",
                                "taskmanager.data.port=0", "metrics.prometheus.port=0").wait_ready()
        cluster = cp.Cluster(self, self.dir)
        status, _ = cluster.http("/livez", taskmanager)
        self.assertEqual(status, 200)
        status, text = cluster.http("/readyz", taskmanager)
        self.assertEqual(status, 503, text)
        cluster.wait_for(lambda: f"127.0.0.1:{port}" in taskmanager.log(), "a line about it")
        cluster.rpc_port = port
        cluster.start_jobmanager()
        cluster.wait_for(lambda: cluster.http("/readyz", taskmanager)[0] == 200, "registration")
        self.assertEqual(taskmanager.kill(signal.SIGTERM), 0, taskmanager.log())

    def test_a_taskmanager_says_that_nobody_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            taskmanager = cp.Daemon(self, "weir-taskmanager", f"jobmanager.rpc.port={port}",
                                    "taskmanager.data.port=0",
                                    "metrics.prometheus.port=0").wait_ready()
            cluster = cp.Cluster(self, self.dir)
            cluster.wait_for(lambda: "no answer to the greeting yet" in taskmanager.log(),
                             "a line about the silence")
            self.assertIn(f"127.0.0.1:{port}", taskmanager.log())
            self.assertEqual(taskmanager.kill(signal.SIGTERM), 0, taskmanager.log())


if __name__ == "__main__":
    unittest.main()
