// Connector `stdout`: a line a row on standard output. A sink only; no state.
#pragma once

#include "common/config/option_table.h"
#include "common/graph/connectors/sink_options.h"

namespace weir::graph {

const config::OptionTable<StdoutOptions>& StdoutTable();

}  // namespace weir::graph
