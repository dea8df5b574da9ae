#include "common/graph/connectors/stdout.h"

namespace weir::graph {

const config::OptionTable<StdoutOptions>& StdoutTable() {
  static const config::OptionTable<StdoutOptions> table(
      "options of connector 'stdout'",
      "Sink: a line a row on standard output, as rows arrive. After a crash some rows may be "
      "printed again.");
  return table;
}

}  // namespace weir::graph
