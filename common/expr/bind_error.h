// BindError: one thing that is wrong with an expression, found before it runs.
#pragma once

#include <string>
#include <vector>

#include "common/config/diagnostic_codes.h"
#include "common/expr/text_range.h"

namespace weir::expr {

// What a diagnostic needs but the file: the caller adds the range's offset to the place where the
// expression's text begins.
struct BindError {
  TextRange range;
  config::DiagnosticCode code = config::codes::kExpressionSyntax;
  std::string message;
  std::string label;  // to stand under the source line: "did you mean 'price'?"
  std::vector<std::string> help;
};

using BindErrors = std::vector<BindError>;

}  // namespace weir::expr
