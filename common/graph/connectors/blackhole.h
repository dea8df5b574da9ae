// Connector `blackhole`: counts rows and drops them. A sink only; no state.
#pragma once

#include "common/config/option_table.h"
#include "common/graph/connectors/sink_options.h"

namespace weir::graph {

const config::OptionTable<BlackholeOptions>& BlackholeTable();

}  // namespace weir::graph
