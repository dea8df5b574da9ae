// The connectors there are, by the names that descriptors use.
#pragma once

#include <variant>
#include <vector>

#include <absl/types/optional.h>

#include "common/config/option_table.h"
#include "common/graph/connectors/datagen.h"
#include "common/graph/connectors/file.h"
#include "common/graph/steps/specs.h"

namespace weir::graph {

enum class ConnectorKind : uint8_t { kFile, kDatagen, kStdout, kBlackhole };
enum class ConnectorRole : uint8_t { kSource, kSink };

// "file"
StringView ConnectorName(ConnectorKind kind);
StringView ConnectorName(const SourceSpec& source);
StringView ConnectorName(const SinkSpec& sink);

// The connector that `name` names in this role. nullopt: reported.
absl::optional<ConnectorKind> FindConnector(const config::Node& name, ConnectorRole role,
                                            config::Diagnostics* diagnostics);

// Reads a connector's `options` by its table; `options` is null where the key is missing, and
// `connector` is where that is reported. False: reported.
template <class T>
bool ReadConnectorOptions(const config::Node& connector, const config::Node* options,
                          const config::OptionTable<T>& table, T* values,
                          config::Diagnostics* diagnostics);

struct TitledBlock {
  const char* title;  // "Source `file`"
  const config::OptionBlock* block;
};

// The tables of all connectors, for the reference.
std::vector<TitledBlock> ConnectorBlocks();

namespace internal {
// Whether nothing is required; reports what is.
bool CheckNothingRequired(const config::Node& connector, const config::OptionBlock& block,
                          config::Diagnostics* diagnostics);
}  // namespace internal

template <class T>
bool ReadConnectorOptions(const config::Node& connector, const config::Node* options,
                          const config::OptionTable<T>& table, T* values,
                          config::Diagnostics* diagnostics) {
  if (options == nullptr) {
    return internal::CheckNothingRequired(connector, table, diagnostics);
  }
  return table.Read(*options, values, diagnostics);
}

}  // namespace weir::graph
