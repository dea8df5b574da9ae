// Binding of the expressions in a descriptor's scalars, with errors at their place in the file.
#pragma once

#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/config/node.h"
#include "common/expr/binder.h"
#include "common/graph/edge_rows.h"

namespace weir::graph {

// Null for all: reported.
expr::BoundExprPtr BindNode(const config::Node& node, const EdgeRows& rows,
                            config::Diagnostics* diagnostics);
expr::BoundExprPtr BindPredicateNode(const config::Node& node, const EdgeRows& rows,
                                     config::Diagnostics* diagnostics);
absl::optional<expr::BoundAggregate> BindAggregateNode(const config::Node& node,
                                                       const EdgeRows& rows,
                                                       config::Diagnostics* diagnostics);

// An expression that names column `index`.
// REQUIRES: index < schema.size().
expr::BoundExprPtr ColumnExpr(const types::Schema& schema, size_t index);

// The column that a scalar names. nullopt: reported.
absl::optional<size_t> FindColumn(const config::Node& node, const EdgeRows& rows,
                                  config::Diagnostics* diagnostics);

// Whether a column may have the type of `expr`; `name` is for the message.
bool ExpectColumnType(const config::Node& node, StringView name, const types::DataType& type,
                      config::Diagnostics* diagnostics);

// "auction, bidder, price", for messages.
std::string ColumnNames(const types::Schema& schema);

// A name and the scalar with its expression: an entry of `columns:`, `aggregates:` or `key_by:`.
struct NamedNode {
  std::string name;
  const config::Node* name_node = nullptr;
  const config::Node* expr_node = nullptr;
  // The expression is the bare name of a column, written as an item of a list.
  bool is_column = false;
};

// Reads a map {name: expr}. False: something was wrong; `named` has what was right.
bool ReadNamedExpressions(const config::Node& node, std::vector<NamedNode>* named,
                          config::Diagnostics* diagnostics);
// Reads a list of columns or a map {name: expr}.
bool ReadKeys(const config::Node& node, std::vector<NamedNode>* named,
              config::Diagnostics* diagnostics);

}  // namespace weir::graph
