// BoundExpr: an expression whose names, functions and types are resolved; what evaluation runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <absl/types/optional.h>

#include "common/expr/text_range.h"
#include "common/types/column.h"
#include "common/types/data_type.h"

namespace weir::expr {

class BoundExpr;
// Shared because plans, operators and subtasks read one tree, and subtrees may occur twice in it.
using BoundExprPtr = std::shared_ptr<const BoundExpr>;

struct KernelCall;
struct Vector;
// Computes a node's values from its arguments' values, a batch at a time (kernel.h).
using Kernel = void (*)(const KernelCall& call, Vector* result);

enum class ExprKind : uint8_t {
  kConstant,
  kColumn,
  kCall,  // a kernel over the values of all arguments
  kAnd,   // the other kinds evaluate an argument only for the rows that need it
  kOr,
  kCase,  // condition, result, condition, result, ..., else
  kCoalesce,
  kLet,  // a value, and what is computed of it with kSlots that stand for the value
  kSlot,
};

// Immutable once bound; any number of threads may evaluate it.
class BoundExpr {
 public:
  struct Parts {
    ExprKind kind = ExprKind::kConstant;
    types::DataType type;
    bool nullable = true;
    // Some row could end in an error rather than a value (of this node or one below).
    bool can_fail = false;
    // Computing it for rows that do not need it costs little and cannot fail.
    bool is_cheap = false;
    TextRange range;
    std::vector<BoundExprPtr> args;
    size_t column = 0;                     // kColumn
    uint32_t slot = 0;                     // kLet and its kSlots: one number within the expression
    types::ColumnPtr constant;             // kConstant: one row
    Kernel kernel = nullptr;               // kCall
    std::shared_ptr<const void> prepared;  // what the kernel made of its constant arguments
  };
  explicit BoundExpr(Parts parts) : parts_(std::move(parts)) {}
  ~BoundExpr();
  BoundExpr(const BoundExpr&) = delete;
  BoundExpr& operator=(const BoundExpr&) = delete;

  const types::DataType& type() const { return parts_.type; }
  bool nullable() const { return parts_.nullable; }
  bool can_fail() const { return parts_.can_fail; }
  bool is_cheap() const { return parts_.is_cheap; }
  TextRange range() const { return parts_.range; }

  ExprKind kind() const { return parts_.kind; }
  bool IsConstant() const { return parts_.kind == ExprKind::kConstant; }
  bool IsNullConstant() const { return IsConstant() && parts_.constant->IsNull(0); }
  const std::vector<BoundExprPtr>& args() const { return parts_.args; }
  // REQUIRES: kind() is kConstant.
  const types::ColumnPtr& constant() const { return parts_.constant; }
  uint32_t slot() const { return parts_.slot; }
  Kernel kernel() const { return parts_.kernel; }
  const void* prepared() const { return parts_.prepared.get(); }

  // The column this expression just names; nullopt: it computes something.
  absl::optional<size_t> column() const {
    if (parts_.kind != ExprKind::kColumn) return absl::nullopt;
    return parts_.column;
  }

 private:
  Parts parts_;
};

// The columns that `expr` reads, ascending.
std::vector<size_t> ReferencedColumns(const BoundExpr& expr);

}  // namespace weir::expr
