// RequestMemory: which job a request id has made, so that a retry starts nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "common/base/ids.h"

namespace weir::dispatcher {

// Most request ids remembered; the oldest is forgotten first. A retry comes within minutes.
inline constexpr size_t kRequestIdsMax = 10'000;

// Thread:    confined to the control loop.
// Invariant: at most `size_max` ids, each once.
class RequestMemory {
 public:
  explicit RequestMemory(size_t size_max = kRequestIdsMax) : size_max_(size_max) {}

  // An empty id is not remembered, a known one keeps its job.
  void Remember(const std::string& request_id, JobId job) {
    if (request_id.empty() || !jobs_.emplace(request_id, job).second) return;
    order_.push_back(request_id);
    if (order_.size() <= size_max_) return;
    jobs_.erase(order_.front());
    order_.pop_front();
  }
  std::optional<JobId> Find(const std::string& request_id) const {
    const auto it = jobs_.find(request_id);
    if (it == jobs_.end()) return std::nullopt;
    return it->second;
  }

 private:
  const size_t size_max_;
  std::map<std::string, JobId> jobs_;
  std::deque<std::string> order_;  // the oldest first
};

}  // namespace weir::dispatcher
