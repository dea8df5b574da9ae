#include "common/graph/connectors/catalog.h"

#include <string>

#include <absl/strings/str_cat.h>

#include "common/config/names.h"
#include "common/graph/connectors/blackhole.h"
#include "common/graph/connectors/stdout.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::Node;
namespace codes = config::codes;

struct Connector {
  const char* name;
  ConnectorKind kind;
  bool is_source;
  bool is_sink;
};
constexpr Connector kConnectors[] = {
    {"file", ConnectorKind::kFile, true, true},
    {"datagen", ConnectorKind::kDatagen, true, false},
    {"stdout", ConnectorKind::kStdout, false, true},
    {"blackhole", ConnectorKind::kBlackhole, false, true},
};

bool HasRole(const Connector& connector, ConnectorRole role) {
  return role == ConnectorRole::kSource ? connector.is_source : connector.is_sink;
}

}  // namespace

StringView ConnectorName(ConnectorKind kind) {
  for (const Connector& connector : kConnectors) {
    if (connector.kind == kind) return connector.name;
  }
  return "";
}

StringView ConnectorName(const SourceSpec& source) {
  return ConnectorName(std::holds_alternative<FileSourceOptions>(source.connector)
                           ? ConnectorKind::kFile
                           : ConnectorKind::kDatagen);
}

StringView ConnectorName(const SinkSpec& sink) {
  if (std::holds_alternative<FileSinkOptions>(sink.connector)) {
    return ConnectorName(ConnectorKind::kFile);
  }
  return ConnectorName(std::holds_alternative<StdoutOptions>(sink.connector)
                           ? ConnectorKind::kStdout
                           : ConnectorKind::kBlackhole);
}

absl::optional<ConnectorKind> FindConnector(const Node& name, ConnectorRole role,
                                            Diagnostics* diagnostics) {
  std::vector<std::string> names;
  for (const Connector& connector : kConnectors) {
    if (!HasRole(connector, role)) continue;
    if (name.text() == connector.name) return connector.kind;
    names.emplace_back(connector.name);
  }
  const StringView whose = role == ConnectorRole::kSource ? "source" : "sink";
  diagnostics->Add(config::ErrorAt(name, codes::kUnknownConnector,
                                   absl::StrCat("no ", whose, " connector '", name.text(), "'"))
                       .Suggest(config::DidYouMean(name.text(), names))
                       .Help(absl::StrCat("connectors of a ", whose, ": ",
                                          config::JoinNames(names, names.size()))));
  return absl::nullopt;
}

std::vector<TitledBlock> ConnectorBlocks() {
  return {{"Source `file`", &FileSourceTable()}, {"Source `datagen`", &DatagenTable()},
          {"Generator", &GeneratorTable()},      {"Sink `file`", &FileSinkTable()},
          {"Sink `stdout`", &StdoutTable()},     {"Sink `blackhole`", &BlackholeTable()}};
}

namespace internal {

bool CheckNothingRequired(const Node& connector, const config::OptionBlock& block,
                          Diagnostics* diagnostics) {
  bool is_good = true;
  for (const config::Option& option : block.options()) {
    if (!option.is_required) continue;
    diagnostics->Add(config::ErrorAt(connector, codes::kMissingKey,
                                     absl::StrCat("connector '", connector.text(),
                                                  "' needs the option '", option.key, "'"))
                         .Help(absl::StrCat("options: {", option.key, ": ...}")));
    is_good = false;
  }
  return is_good;
}

}  // namespace internal
}  // namespace weir::graph
