#include "common/graph/connectors/stdout.h"

namespace weir::graph {

const config::OptionTable<StdoutOptions>& StdoutTable() {
  static const config::OptionTable<StdoutOptions> table(
      "options of connector 'stdout'",
      "Sink: a line a row on standard output, as rows arrive. On a cluster that is the standard "
      "output of the taskmanagers that run its subtasks, behind their ready lines. After a crash "
      "some rows may be printed again.");
  return table;
}

}  // namespace weir::graph
