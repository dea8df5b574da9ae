"""scripts/setup asks dpkg first and calls apt-get only for what is missing."""

import os
import unittest

from small_tree import SCRIPTS, SmallTreeTest

# Knows the packages in the file $INSTALLED, one a line; fails, like the real one, for any other.
DPKG_QUERY = """#!/bin/sh
shift 3
code=0
for package in "$@"; do
  if grep -qx "$package" "$INSTALLED"; then echo "$package installed"; else code=1; fi
done
exit $code
"""
# Writes down how it was called; an install adds the packages unless $APT_FAILS is set.
APT_GET = """#!/bin/sh
echo "$*" >>"$CALLS"
[ -z "$APT_FAILS" ] || { echo 'E: no network'; exit 100; }
case "$*" in *" install "*) for word in "$@"; do echo "$word" >>"$INSTALLED"; done ;; esac
"""


class SetupTest(SmallTreeTest):
    def setUp(self):
        super().setUp()
        self.installed = os.path.join(self.root, "installed")
        self.calls = os.path.join(self.root, "calls")
        for name, text in (
            ("dpkg-query", DPKG_QUERY),
            ("apt-get", APT_GET),
            ("sudo", '#!/bin/sh\nexec "$@"\n'),
        ):
            self.write(f"bin/{name}", text)
            os.chmod(os.path.join(self.root, "bin", name), 0o755)
        self.write("installed", "")
        self.write("calls", "")

    def setup(self, *arguments, **environment):
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        command = [os.path.join(SCRIPTS, "setup"), *arguments]
        environment = {
            "PATH": path,
            "INSTALLED": self.installed,
            "CALLS": self.calls,
            **environment,
        }
        return self.run_in_tree(*command, **environment)

    def apt_calls(self):
        with open(self.calls, encoding="utf-8") as file:
            return file.read().splitlines()

    def test_it_updates_the_lists_and_installs_what_is_missing(self):
        code, output = self.setup()
        self.assertEqual(code, 0, output)
        calls = self.apt_calls()
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith(" update"))
        self.assertIn(" install --no-install-recommends ", calls[1])
        self.assertIn(" libcapnp-dev ", calls[1])
        self.assertIn(" clang-format-14", calls[1])
        self.assertNotIn("clang-tidy-14", calls[1])

    def test_a_second_run_says_nothing_and_leaves_apt_alone(self):
        self.setup("--full")
        self.write("calls", "")
        code, output = self.setup("--full")
        self.assertEqual((code, output, self.apt_calls()), (0, "", []))

    def test_levels_add_to_each_other(self):
        self.setup("--build")
        self.assertNotIn("clang", self.apt_calls()[1])
        self.write("calls", "")
        self.setup("--full")
        install = self.apt_calls()[1].split("--no-install-recommends ")[1].split()
        self.assertEqual(
            sorted(install),
            ["clang-14", "clang-format-14", "clang-tidy-14", "libclang-rt-14-dev", "prometheus"],
        )

    def test_a_failing_apt_is_shown_and_fails(self):
        code, output = self.setup(APT_FAILS="1")
        self.assertEqual(code, 1)
        self.assertIn("E: no network", output)
        self.assertIn("setup: FAILED: updating the package lists", output)

    def test_a_wrong_argument_prints_the_usage(self):
        code, output = self.setup("--everything")
        self.assertEqual(code, 2)
        self.assertIn("usage: scripts/setup", output)


if __name__ == "__main__":
    unittest.main()
