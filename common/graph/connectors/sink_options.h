// Options of the sinks that only tell: `stdout` and `blackhole`.
#pragma once

namespace weir::graph {

// One line a row on standard output, as rows arrive; not transactional.
struct StdoutOptions {};

// Counts rows and drops them.
struct BlackholeOptions {};

}  // namespace weir::graph
