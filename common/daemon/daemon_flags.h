// DaemonFlags: the command line of a daemon.
#pragma once

#include <string>
#include <vector>

namespace weir::daemon {

struct DaemonFlags {
  std::string config_file;
  std::vector<std::string> assignments;  // -D key=value
  bool check_config = false;
  bool print_config = false;

  // Parsing has said what there was to say (help, version, a mistake): end with exit_code.
  bool is_done = false;
  int exit_code = 0;
};

// Writes help and version to stdout, mistakes to stderr.
DaemonFlags ParseDaemonFlags(int argc, const char* const* argv, const std::string& program,
                             const std::string& description);

}  // namespace weir::daemon
