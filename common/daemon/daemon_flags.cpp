#include "common/daemon/daemon_flags.h"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <absl/strings/str_cat.h>

#include "common/daemon/version.h"

namespace weir::daemon {
namespace {

constexpr int kExitUsage = 2;

}  // namespace

DaemonFlags ParseDaemonFlags(int argc, const char* const* argv, const std::string& program,
                             const std::string& description) {
  DaemonFlags flags;
  CLI::App app(description, program);
  app.set_help_flag("-h,--help", "Shows this help.");
  app.set_version_flag("--version", absl::StrCat(program, " ", Version()), "Shows the version.");
  app.add_option("--config", flags.config_file, "The configuration file (YAML).")
      ->type_name("FILE");
  app.add_option("-D", flags.assignments,
                 "Sets a configuration key, such as -D rest.port=8082; may be repeated.")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--check-config", flags.check_config,
               "Checks the configuration and starts nothing.");
  app.add_flag("--print-config", flags.print_config,
               "Shows the effective configuration with the origin of each value, and starts "
               "nothing.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    flags.is_done = true;
    if (error.get_exit_code() == 0) {  // help or version was asked for
      flags.exit_code = app.exit(error);
      return flags;
    }
    flags.exit_code = kExitUsage;
    std::fprintf(stderr, "%s: %s\n  see `%s --help`\n", program.c_str(), error.what(),
                 program.c_str());
  }
  return flags;
}

}  // namespace weir::daemon
