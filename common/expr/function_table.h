// The scalar functions and aggregates there are: for people (docs/descriptor.md, help in
// errors). The same table drives binding.
#pragma once

#include <string>
#include <vector>

#include <absl/types/span.h>

#include "common/base/string_view.h"

namespace weir::expr {

struct FunctionInfo {
  const char* name;
  const char* group;        // "string", "math", "time", "regex", "conditional", "aggregate"
  const char* signatures;   // one a line: "substr(string, int32 [, int32]) -> string"
  const char* description;  // one line
};

// By name.
std::vector<FunctionInfo> ListFunctions();

}  // namespace weir::expr
