// Explain: a plan for people and for tools: its operators, what each keeps and gives, and how rows
// travel between them.
#pragma once

#include <cstdint>
#include <string>

#include "common/graph/plan.h"

namespace weir::graph {

enum class ExplainView : uint8_t {
  kOperators,
  kPhysical,  // also the vertices, that is what runs in one task, and their edges
};

// Lines for people.
std::string ExplainText(const Plan& plan, ExplainView view);

// Members of a JSON object, without its braces; it always has the physical part, too.
std::string ExplainJson(const Plan& plan);

}  // namespace weir::graph
