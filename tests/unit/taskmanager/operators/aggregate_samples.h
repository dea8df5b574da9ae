// Aggregations for tests: specs made from function and column, with the planner's result types.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/graph/steps/specs.h"
#include "common/types/schema.h"
#include "taskmanager/operators/aggregate_operator.h"
#include "taskmanager/operators/window_aggregate_operator.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {

using graph::AggregateFunction;

struct Call {
  AggregateFunction function;
  std::string column;  // empty: count(*)
};

inline types::DataType ResultType(AggregateFunction function, const types::DataType& argument) {
  const bool is_decimal = argument.kind == types::TypeKind::kDecimal;
  switch (function) {
    case AggregateFunction::kSum:
      if (argument.IsInteger()) return types::kInt64Type;
      return is_decimal ? types::DecimalType(38, argument.scale) : argument;
    case AggregateFunction::kAvg:
      return is_decimal ? types::DecimalType(38, std::max<int>(argument.scale, 6))
                        : types::kDoubleType;
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return argument;
    default:
      return types::kInt64Type;
  }
}

// The key is the input's first `key_count` columns.
inline graph::AggregateSpec SpecOf(const types::Schema& input, size_t key_count,
                                   const std::vector<Call>& calls) {
  graph::AggregateSpec spec;
  spec.key_count = key_count;
  for (const Call& call : calls) {
    graph::AggregateCall& bound = spec.aggregates.emplace_back();
    bound.function = call.function;
    if (!call.column.empty()) {
      bound.argument = input.Find(call.column).value();
      bound.argument_type = input.field(*bound.argument).type;
    }
    bound.result_type = ResultType(call.function, bound.argument_type);
  }
  return spec;
}

inline types::SchemaPtr OutputOf(const types::Schema& input, const graph::AggregateSpec& spec) {
  std::vector<types::Field> fields;
  for (size_t i = 0; i < spec.key_count; ++i) fields.push_back(input.field(i));
  if (spec.window.has_value()) {
    fields.push_back({"window_start", types::kTimestampType, false});
    fields.push_back({"window_end", types::kTimestampType, false});
  }
  for (size_t i = 0; i < spec.aggregates.size(); ++i) {
    fields.push_back({"r" + std::to_string(i), spec.aggregates[i].result_type, true});
  }
  return SchemaOf(fields);
}

inline AggregateOperator MakeAggregate(const types::SchemaPtr& input,
                                       const graph::AggregateSpec& spec) {
  return AggregateOperator(spec, "step", input, OutputOf(*input, spec));
}

inline WindowAggregateOperator MakeWindowed(const types::SchemaPtr& input,
                                            graph::AggregateSpec spec, graph::WindowSpec window) {
  spec.window = window;
  spec.emit = graph::EmitMode::kOnClose;
  return WindowAggregateOperator(spec, "step", input, OutputOf(*input, spec));
}

}  // namespace weir::operators
