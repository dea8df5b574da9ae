// LogGathering: lines of several logs become one, by time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "jobmanager/dispatcher/cluster_view.h"

namespace weir::dispatcher {

// Life:   kept alive by the answers it waits for. If one of them never comes, neither does its own.
// Thread: the control loop's.
class LogGathering {
 public:
  // `done` gets the newest `lines_max` lines, the oldest first.
  LogGathering(size_t lines_max, ClusterView::LogsDone done)
      : lines_max_(lines_max), done_(std::move(done)) {}

  // Every line begins with `origin`.
  void Add(const std::string& origin, std::vector<rpc::LogLine> lines);
  // The place for one log's answer. One that cannot be read is a line that says so, at `now`.
  static ClusterView::LogsDone Expect(const std::shared_ptr<LogGathering>& gathering,
                                      std::string origin, absl::Time now);
  // Every log has been added or is expected. `done` runs when all answers are there: maybe now.
  void Close();

 private:
  void Finish();

  const size_t lines_max_;
  ClusterView::LogsDone done_;
  std::vector<rpc::LogLine> lines_;
  size_t expected_ = 1;  // answers, and Close()
};

}  // namespace weir::dispatcher
