// Connector `datagen`: rows made by formula. A source only.
// State: the next row of each split; fits while count and seed stay.
#pragma once

#include <string>

#include <absl/types/optional.h>

#include "common/config/option_table.h"
#include "common/graph/connectors/datagen_options.h"
#include "common/types/schema.h"

namespace weir::graph {

// `options` as written; `fields` needs the schema to be understood.
struct DatagenBlock {
  absl::optional<int64_t> count;
  absl::optional<double> rate;
  int64_t seed = 0;
  const config::Node* fields = nullptr;
};

// One entry of `fields`. Bounds are written as values of the column's type.
struct GeneratorOptions {
  config::Located<GeneratorKind> kind = GeneratorKind::kRandom;
  const config::Node* start = nullptr;
  const config::Node* step = nullptr;
  const config::Node* min = nullptr;
  const config::Node* max = nullptr;
  config::Located<int64_t> length;
  config::Located<int64_t> distinct;
};

const config::OptionTable<DatagenBlock>& DatagenTable();
const config::OptionTable<GeneratorOptions>& GeneratorTable();

// The generator of every column: as `fields` says, else random. nullopt: reported.
absl::optional<DatagenOptions> BindDatagen(const DatagenBlock& block, const types::Schema& schema,
                                           config::Diagnostics* diagnostics);

// See PlanNode::state_signature.
std::string DatagenSignature(const DatagenOptions& options);

}  // namespace weir::graph
