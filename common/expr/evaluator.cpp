#include "common/expr/evaluator.h"

#include <cstring>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/expr/kernel.h"
#include "common/expr/vector.h"
#include "common/expr/vector_moves.h"

namespace weir::expr {
namespace {

using Rows = absl::Span<const uint32_t>;
using types::RecordBatch;

// Calls within calls that take no memory of their own.
constexpr size_t kInlineCalls = 8;

// One evaluation of one expression: the batch, the memory and the errors.
// Life: a call of Evaluate() or EvaluatePredicate().
class Evaluation {
 public:
  Evaluation(const RecordBatch& batch, EvalErrors* errors) : batch_(batch), errors_(*errors) {}

  // REQUIRES: !rows.empty().
  Vector Run(const BoundExpr& expr, Rows rows);

 private:
  Vector RunCall(const BoundExpr& expr, Rows rows);
  Vector RunKernel(const BoundExpr& expr, const Vector& first, Rows rows);
  Vector RunLogic(const BoundExpr& expr, Rows rows);
  Vector RunCase(const BoundExpr& expr, Rows rows);
  Vector RunCoalesce(const BoundExpr& expr, Rows rows);
  Vector RunLet(const BoundExpr& expr, Rows rows);
  Vector RunSlot(const BoundExpr& expr, Rows rows);

  // The rows at these positions.
  Rows Pick(Rows rows, Rows positions);

  // The value of a kLet whose body is being computed, and the rows it is of.
  struct Slot {
    uint32_t number = 0;
    Vector value;
    Rows rows;
  };

  const RecordBatch& batch_;
  EvalErrors& errors_;
  Arena arena_;
  std::vector<Slot> slots_;
};

Vector Evaluation::Run(const BoundExpr& expr, Rows rows) {
  switch (expr.kind()) {
    case ExprKind::kConstant:
      return LoadConstant(*expr.constant(), &arena_);
    case ExprKind::kColumn:
      WEIR_DCHECK(batch_.column(*expr.column()).type() == expr.type());
      return LoadColumn(batch_.column(*expr.column()), rows, &arena_);
    case ExprKind::kCall:
      return RunCall(expr, rows);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return RunLogic(expr, rows);
    case ExprKind::kCase:
      return RunCase(expr, rows);
    case ExprKind::kCoalesce:
      return RunCoalesce(expr, rows);
    case ExprKind::kLet:
      return RunLet(expr, rows);
    case ExprKind::kSlot:
      return RunSlot(expr, rows);
  }
  return {};
}

// A long `a + b + c + ...` leans to the left: a loop runs its calls from the innermost one
// outwards.
Vector Evaluation::RunCall(const BoundExpr& expr, Rows rows) {
  absl::InlinedVector<const BoundExpr*, kInlineCalls> calls = {&expr};
  while (!calls.back()->args().empty() && calls.back()->args()[0]->kind() == ExprKind::kCall) {
    calls.push_back(calls.back()->args()[0].get());
  }
  Vector result;
  if (!calls.back()->args().empty()) result = Run(*calls.back()->args()[0], rows);
  for (; !calls.empty(); calls.pop_back()) result = RunKernel(*calls.back(), result, rows);
  return result;
}

// `first` is the first argument's value, if there is one.
Vector Evaluation::RunKernel(const BoundExpr& expr, const Vector& first, Rows rows) {
  Vector* args = arena_.NewArray<Vector>(expr.args().size());
  if (!expr.args().empty()) args[0] = first;
  for (size_t i = 1; i < expr.args().size(); ++i) args[i] = Run(*expr.args()[i], rows);
  Vector result{.type = expr.type()};
  const KernelCall call{expr, absl::MakeConstSpan(args, expr.args().size()), rows, arena_, errors_};
  expr.kernel()(call, &result);
  return result;
}

// AND and OR: an argument is asked only for rows that are not decided by the ones before it, unless
// computing it everywhere is cheap and safe.
Vector Evaluation::RunLogic(const BoundExpr& expr, Rows rows) {
  const size_t size = rows.size();
  const uint8_t deciding = expr.kind() == ExprKind::kOr ? 1 : 0;
  uint8_t* decided = arena_.NewArray<uint8_t>(size);
  uint8_t* unknown = arena_.NewArray<uint8_t>(size);
  uint32_t* positions = arena_.NewArray<uint32_t>(size);
  std::memset(decided, 0, size);
  std::memset(unknown, 0, size);
  size_t open = size;
  for (const BoundExprPtr& arg : expr.args()) {
    if (open == 0) break;
    const bool everywhere = open == size || arg->is_cheap();
    const Rows asked = everywhere ? Rows() : Rows(positions, open);
    const Vector answer = Run(*arg, everywhere ? rows : Pick(rows, asked));
    const size_t answers = everywhere ? size : open;
    for (size_t k = 0; k < answers; ++k) {
      const size_t i = everywhere ? k : asked[k];
      const uint8_t is_null = answer.IsNull(k) ? 1 : 0;
      decided[i] |= static_cast<uint8_t>((answer.At<uint8_t>(k) == deciding ? 1 : 0) & ~is_null);
      unknown[i] |= is_null;
    }
    open = 0;
    for (size_t i = 0; i < size; ++i) {
      positions[open] = static_cast<uint32_t>(i);
      open += decided[i] == 0 ? 1 : 0;
    }
  }
  Vector result{.type = expr.type()};
  uint8_t* values = arena_.NewArray<uint8_t>(size);
  uint8_t* validity = arena_.NewArray<uint8_t>(size);
  for (size_t i = 0; i < size; ++i) {
    values[i] = decided[i] != 0 ? deciding : 1 - deciding;
    validity[i] = static_cast<uint8_t>(decided[i] | (unknown[i] ^ 1));
  }
  result.values = values;
  result.validity = validity;
  return result;
}

Vector Evaluation::RunCase(const BoundExpr& expr, Rows rows) {
  Vector result = NewNulls(expr.type(), rows.size(), &arena_);
  uint32_t* pending = arena_.NewArray<uint32_t>(rows.size());
  uint32_t* taken = arena_.NewArray<uint32_t>(rows.size());
  size_t pending_count = rows.size();
  for (size_t i = 0; i < rows.size(); ++i) pending[i] = static_cast<uint32_t>(i);
  const std::vector<BoundExprPtr>& args = expr.args();
  size_t next = 0;
  for (; next + 1 < args.size() && pending_count > 0; next += 2) {
    const Rows asked(pending, pending_count);
    const Vector condition = Run(*args[next], Pick(rows, asked));
    size_t taken_count = 0;
    size_t left = 0;
    for (size_t k = 0; k < asked.size(); ++k) {
      const uint32_t position = asked[k];
      if (condition.At<uint8_t>(k) != 0 && !condition.IsNull(k)) {
        taken[taken_count++] = position;
      } else {
        pending[left++] = position;
      }
    }
    pending_count = left;
    if (taken_count == 0) continue;
    const Rows chosen(taken, taken_count);
    ScatterVector(Run(*args[next + 1], Pick(rows, chosen)), chosen, &result);
  }
  if (pending_count > 0 && args.size() % 2 == 1) {
    const Rows rest(pending, pending_count);
    ScatterVector(Run(*args.back(), Pick(rows, rest)), rest, &result);
  }
  return result;
}

Vector Evaluation::RunCoalesce(const BoundExpr& expr, Rows rows) {
  Vector result = NewNulls(expr.type(), rows.size(), &arena_);
  uint32_t* pending = arena_.NewArray<uint32_t>(rows.size());
  size_t pending_count = rows.size();
  for (size_t i = 0; i < rows.size(); ++i) pending[i] = static_cast<uint32_t>(i);
  for (const BoundExprPtr& arg : expr.args()) {
    const Rows asked(pending, pending_count);
    ScatterVector(Run(*arg, Pick(rows, asked)), asked, &result);
    size_t left = 0;
    for (const uint32_t position : asked) {
      if (result.IsNull(position)) pending[left++] = position;
    }
    pending_count = left;
    if (pending_count == 0) break;
  }
  return result;
}

Vector Evaluation::RunLet(const BoundExpr& expr, Rows rows) {
  slots_.push_back({expr.slot(), Run(*expr.args()[0], rows), rows});
  const Vector result = Run(*expr.args()[1], rows);
  slots_.pop_back();
  return result;
}

Vector Evaluation::RunSlot(const BoundExpr& expr, Rows rows) {
  auto slot = slots_.rbegin();
  while (slot->number != expr.slot()) ++slot;
  if (slot->rows.size() == rows.size() || slot->value.is_constant) return slot->value;
  // The body asks for fewer rows; both are ascending.
  uint32_t* positions = arena_.NewArray<uint32_t>(rows.size());
  uint32_t next = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    while (slot->rows[next] != rows[i]) ++next;
    positions[i] = next;
  }
  return GatherVector(slot->value, Rows(positions, rows.size()), &arena_);
}

Rows Evaluation::Pick(Rows rows, Rows positions) {
  if (positions.size() == rows.size()) return rows;
  uint32_t* picked = arena_.NewArray<uint32_t>(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) picked[i] = rows[positions[i]];
  return Rows(picked, positions.size());
}

// Those of `rows` where `condition` is TRUE.
types::PodVector<uint32_t> SelectTrue(const Vector& condition, Rows rows,
                                      const EvalErrors& errors) {
  types::PodVector<uint32_t> kept(rows.size());
  size_t count = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    kept[count] = rows[i];
    count += condition.At<uint8_t>(i) != 0 && !condition.IsNull(i) ? 1 : 0;
  }
  kept.resize(count);
  return errors.any() ? errors.Without(kept) : kept;
}

// The value of a row that failed is NULL, also where a node above made something of it.
void SetFailedToNull(Rows rows, const EvalErrors& errors, Vector* vector,
                     types::PodVector<uint8_t>* validity) {
  if (!errors.any() || vector->is_constant) return;
  validity->resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    (*validity)[i] = vector->IsNull(i) || errors.Failed(rows[i]) ? 0 : 1;
  }
  vector->validity = validity->data();
}

}  // namespace

absl::StatusOr<types::ColumnPtr> Evaluate(const BoundExpr& expr, const RecordBatch& batch,
                                          Rows rows, EvalErrors* errors) {
  if (rows.empty()) return ToColumn(Vector{.type = expr.type()}, 0);
  if (expr.column() && rows.size() == batch.physical_rows()) {
    return batch.column_ptr(*expr.column());
  }
  Evaluation evaluation(batch, errors);
  Vector vector = evaluation.Run(expr, rows);
  types::PodVector<uint8_t> validity;
  SetFailedToNull(rows, *errors, &vector, &validity);
  return ToColumn(vector, rows.size());
}

types::PodVector<uint32_t> EvaluatePredicate(const BoundExpr& expr, const RecordBatch& batch,
                                             Rows rows, EvalErrors* errors) {
  WEIR_CHECK(expr.type() == types::kBoolType);
  if (rows.empty()) return {};
  if (expr.kind() == ExprKind::kAnd) {
    types::PodVector<uint32_t> kept;
    for (const BoundExprPtr& arg : expr.args()) {
      kept = EvaluatePredicate(*arg, batch, rows, errors);
      rows = kept;
    }
    return kept;
  }
  Evaluation evaluation(batch, errors);
  return SelectTrue(evaluation.Run(expr, rows), rows, *errors);
}

}  // namespace weir::expr
