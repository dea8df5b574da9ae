// Configuration: the options of a daemon from a file, the environment and the command line, with
// where each came from.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/config/document.h"
#include "common/daemon/daemon_options.h"

namespace weir::daemon {

// What may set an option. Later wins: file, environment, assignments.
struct ConfigurationSources {
  std::string file;  // empty: none
  // WEIR__REST__PORT=8082: `__` stands for a dot, `_` for itself or `-`.
  std::vector<std::pair<std::string, std::string>> environment;
  // `-D rest.port=8082`
  std::vector<std::string> assignments;
};

struct Configuration {
  DaemonOptions options;
  // "rest.port" -> "weir.yaml:12:9"; a key that is missing has its default.
  std::map<std::string, std::string> origins;
  config::Diagnostics diagnostics;
  // What `options` refers to.
  std::vector<std::unique_ptr<config::Document>> documents;
};

// Variables of this process that begin with WEIR__.
std::vector<std::pair<std::string, std::string>> EnvironmentAssignments();

// Everything that is wrong is in the diagnostics; with errors the options must not be used.
Configuration LoadConfiguration(const ConfigurationSources& sources);

// The effective options as YAML, each with its origin.
std::string RenderConfiguration(const Configuration& configuration);
// conf/weir.yaml: every key with its meaning and default, commented out.
std::string ConfigurationTemplate();

}  // namespace weir::daemon
