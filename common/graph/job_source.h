// JobSource: everything a plan is made of, so that another process, or a later one, makes the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <absl/types/optional.h>

#include "common/graph/planner.h"

namespace weir::graph {

struct JobSource {
  std::string file_name;  // for messages
  std::string text;
  // The variables the text asks for that are set, and nothing else of the asker's environment.
  std::map<std::string, std::string> variables;
  // See PlanRequest.
  absl::optional<int64_t> parallelism;
  absl::optional<int64_t> max_parallelism;

  bool operator==(const JobSource&) const = default;
};

// `source` outlives the request.
PlanRequest RequestOf(const JobSource& source);

// XXH3 over all of it, the file name aside: two processes that plan for one job compare it.
uint64_t HashOf(const JobSource& source);

}  // namespace weir::graph
