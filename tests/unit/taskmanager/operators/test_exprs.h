// Bound expressions for tests.
#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "common/expr/binder.h"
#include "common/graph/steps/specs.h"

namespace weir::operators {

inline graph::ExprPtr Bind(const std::string& text, const types::Schema& schema) {
  expr::BindErrors errors;
  graph::ExprPtr bound = expr::BindExpression(text, {schema, ""}, &errors);
  INFO(text << ": " << (errors.empty() ? "" : errors[0].message));
  REQUIRE(bound != nullptr);
  return bound;
}

}  // namespace weir::operators
