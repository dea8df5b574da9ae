// What people read of a cluster's job, made of what a jobmanager answers. Pure but for ages.
#pragma once

#include <string>

#include "cli/cluster_client.h"
#include "cli/progress_line.h"

namespace weir::cli {

// First digits of an id in tables.
inline constexpr size_t kShortIdDigits = 8;

// How long ago an RFC 3339 time is: "12s", "5m", "3h", "2d"; "-" for null.
std::string AgeOf(const Json& time);
// "RUNNING", with how many of its tasks run where that is not all.
std::string StateText(const Json& job);
LocalProgress ProgressOf(const Json& job);

// The table of `weir list`.
std::string JobListText(const Json& jobs);
// Of `weir describe`. `answer`: a job and its steps, subtasks and failures.
std::string JobDetailText(const Json& answer);
// Why the job of `answer` failed last; empty: it did not, or nobody knows any more.
std::string CauseOf(const Json& answer);

// Tells what keeps a job waiting, or that it starts again, once each.
//
// Thread: confined to the main thread.
class JobNews {
 public:
  struct News {
    std::string waits_for;  // empty: nothing new
    std::string restarted;  // the cause; empty: it was not
  };
  // Restarts before the first call are told only if the job is at one.
  News See(const Json& answer);

 private:
  bool has_seen_ = false;
  std::string waits_for_;
  int64_t restarts_ = 0;
};

}  // namespace weir::cli
