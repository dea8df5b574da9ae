// LogBuffer: the last log lines of this process, for `weir logs`.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/base/string_view.h"
#include "common/rpc/task_manager_facts.h"

namespace weir::daemon {

// Most lines kept, and most bytes of one; a longer one is cut.
inline constexpr size_t kLogLinesKept = 10'000;
inline constexpr size_t kLogLineBytesMax = 4096;

// Life:      after StartLogging(); lines are kept from then until it goes.
// Thread:    Last() from any thread; lines come from all.
// Invariant: at most kLogLinesKept lines.
class LogBuffer {
 public:
  LogBuffer();
  ~LogBuffer();
  LogBuffer(const LogBuffer&) = delete;
  LogBuffer& operator=(const LogBuffer&) = delete;

  // The newest `lines_max` that contain `needle` (empty: all), oldest first.
  std::vector<rpc::LogLine> Last(StringView needle, size_t lines_max) const;

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace weir::daemon
