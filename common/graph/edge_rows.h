// EdgeRows: what is known of the rows that one step passes to others.
#pragma once

#include <string>

#include "common/graph/plan.h"

namespace weir::graph {

struct EdgeRows {
  std::string step_id;  // whose rows they are
  types::SchemaPtr schema;
  Changelog changelog;
  bool has_event_time = false;
  // Event time moves on: a watermark says how far it has come.
  bool has_watermark = false;
  // The input ends: files and counted generators.
  bool is_bounded = true;
};

}  // namespace weir::graph
