#include "common/daemon/configuration.h"

#include <unistd.h>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include "common/config/interpolation.h"
#include "common/config/option_yaml.h"
#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"

namespace weir::daemon {
namespace {

constexpr char kEnvironmentPrefix[] = "WEIR__";

config::Diagnostic NoPlace(const config::DiagnosticCode& code, std::string message) {
  return config::MakeDiagnostic(config::Severity::kError, code, {}, "", std::move(message));
}

// Which options a map sets, by the names of the table.
void CollectOrigins(const config::Node& node, const config::OptionBlock& block,
                    const std::string& prefix, std::map<std::string, std::string>* origins) {
  for (const config::MapEntry& entry : node.entries()) {
    const config::Option* option = block.Find(entry.key->text());
    if (option == nullptr) continue;
    const std::string path = absl::StrCat(prefix, option->key);
    if (option->block != nullptr) {
      CollectOrigins(*entry.value, *option->block, absl::StrCat(path, "."), origins);
    } else {
      (*origins)[path] = entry.value->range().ToString();
    }
  }
}

void ReadLayer(const config::SourcePtr& source, Configuration* configuration) {
  std::unique_ptr<config::Document> document =
      config::ParseYaml(source, &configuration->diagnostics);
  if (document == nullptr) return;
  config::Interpolate(config::EnvironmentLookup(), document.get(), &configuration->diagnostics);
  const config::Node& root = document->root();
  // A file in which everything is commented out says nothing.
  if (!root.IsNull()) {
    DaemonTable().Read(root, &configuration->options, &configuration->diagnostics);
    CollectOrigins(root, DaemonTable(), "", &configuration->origins);
  }
  configuration->documents.push_back(std::move(document));
}

// "a.b=v" as the YAML of nested maps.
void ReadAssignment(std::string name, StringView path, StringView value,
                    Configuration* configuration) {
  std::string text;
  std::string indent;
  const std::vector<std::string> keys = absl::StrSplit(path, '.');
  for (const std::string& key : keys) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", indent, key, ":");
    indent += "  ";
  }
  absl::StrAppend(&text, " ", value, "\n");
  ReadLayer(config::MakeSource(std::move(name), std::move(text), config::TextForm::kOneValue),
            configuration);
}

bool IsKeyPath(StringView path) {
  if (path.empty()) return false;
  for (const char c : path) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_') {
      return false;
    }
  }
  return true;
}

void ReadFile(const std::string& path, Configuration* configuration) {
  fs::LocalFileSystem files;
  absl::StatusOr<std::string> text = fs::ReadWholeFile(files, path, config::kDocumentBytesMax);
  if (text.ok()) return ReadLayer(config::MakeSource(path, *std::move(text)), configuration);
  configuration->diagnostics.Add(NoPlace(config::codes::kUnreadableFile,
                                         absl::StrCat("the configuration file ", path,
                                                      " cannot be read: ", text.status().message()))
                                     .Help("check the path given with --config"));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> EnvironmentAssignments() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const StringView text(*variable);
    if (!absl::StartsWith(text, kEnvironmentPrefix)) continue;
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    found.push_back(parts);
  }
  return found;
}

Configuration LoadConfiguration(const ConfigurationSources& sources) {
  Configuration configuration;
  if (!sources.file.empty()) ReadFile(sources.file, &configuration);
  for (const auto& [name, value] : sources.environment) {
    const std::string path = absl::AsciiStrToLower(
        absl::StrReplaceAll(name.substr(std::string(kEnvironmentPrefix).size()), {{"__", "."}}));
    ReadAssignment(name, path, value, &configuration);
  }
  for (const std::string& assignment : sources.assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || !IsKeyPath(assignment.substr(0, equals))) {
      configuration.diagnostics.Add(
          NoPlace(config::codes::kBadValue, absl::StrCat("-D ", assignment, " sets nothing"))
              .Help("write -D key=value, such as -D rest.port=8082"));
      continue;
    }
    ReadAssignment(absl::StrCat("-D ", assignment), assignment.substr(0, equals),
                   assignment.substr(equals + 1), &configuration);
  }
  CheckDaemonOptions(configuration.options, &configuration.diagnostics);
  return configuration;
}

std::string RenderConfiguration(const Configuration& configuration) {
  const config::OptionYamlStyle style{
      .has_descriptions = false, .remark = [&configuration](const std::string& path) {
        const auto it = configuration.origins.find(path);
        return it == configuration.origins.end() ? std::string("default") : it->second;
      }};
  return config::RenderYaml(DaemonTable(), &configuration.options, style);
}

std::string ConfigurationTemplate() {
  const DaemonOptions defaults;
  return absl::StrCat(
      "# The configuration of Weir's daemons, with the defaults. Remove the # in front of a key,\n"
      "# and of those it stands under, to set it. One file serves both daemons; `-D key=value` "
      "and\n"
      "# WEIR__KEY=value override it. An unknown key is an error.\n\n",
      config::RenderYaml(DaemonTable(), &defaults, {.is_commented_out = true}));
}

}  // namespace weir::daemon
