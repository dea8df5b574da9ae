// Options of connector `file`, as source and as sink.
#pragma once

#include <cstdint>
#include <string>

#include <absl/types/optional.h>

namespace weir::graph {

// A file read once, in splits of at least kFileSplitBytesMin.
struct FileSourceOptions {
  std::string path;             // one regular file
  absl::optional<double> rate;  // rows a second over all subtasks; absent: as fast as possible
};

// A directory of part files, written with two-phase commit.
struct FileSinkOptions {
  std::string path;  // the directory; made if missing
};

}  // namespace weir::graph
