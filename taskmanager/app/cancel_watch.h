// CancelWatch: tasks that were cancelled and have not ended yet. Pure.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/time/time.h>

#include "common/base/ids.h"

namespace weir::taskmanager {

// A thread that hangs in a call (a pipe nobody reads, a mount that is away) cannot be ended from
// outside, and everything waits for it: the job to restart or to end, its slot to be free.
//
// Thread: confined to whoever owns it. Times are steady.
class CancelWatch {
 public:
  // Set once, when the task has ended, by whatever thread; may outlive the task.
  using Ended = std::shared_ptr<const std::atomic<bool>>;

  // `patience`: how long a task may take to end. Not negative; infinite: for ever.
  explicit CancelWatch(absl::Duration patience) : patience_(patience) {}

  // Of several calls for one attempt the first counts. `name` is for people.
  void OnCancel(AttemptId attempt, std::string name, Ended ended, absl::Duration now);

  // Names of the tasks that were cancelled longer ago than the patience; forgets those that have
  // ended.
  std::vector<std::string> Overdue(absl::Duration now);

 private:
  struct Cancelled {
    std::string name;
    Ended ended;
    absl::Duration since;
  };
  const absl::Duration patience_;
  std::map<AttemptId, Cancelled> waiting_;
};

}  // namespace weir::taskmanager
