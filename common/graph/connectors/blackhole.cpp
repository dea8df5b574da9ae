#include "common/graph/connectors/blackhole.h"

namespace weir::graph {

const config::OptionTable<BlackholeOptions>& BlackholeTable() {
  static const config::OptionTable<BlackholeOptions> table("options of connector 'blackhole'",
                                                           "Sink: counts rows and drops them.");
  return table;
}

}  // namespace weir::graph
