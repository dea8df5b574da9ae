// KernelCall: what a kernel gets, and the loops kernels are made of.
//
// A kernel fills a Vector of call.size values that is not constant. It computes null rows, too,
// because that is cheaper than asking, but reports no errors of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include <absl/types/span.h>

#include "common/expr/bound_expr.h"
#include "common/expr/evaluator.h"
#include "common/expr/vector.h"

namespace weir::expr {

// Most bytes that the strings of one evaluation may need, so that no expression fills the memory.
inline constexpr size_t kEvaluationBytesMax = 1u << 30;
static_assert(kEvaluationBytesMax <= UINT32_MAX, "offsets of a column are 32 bits wide");

struct KernelCall {
  const BoundExpr& expr;
  absl::Span<const Vector> args;
  absl::Span<const uint32_t> rows;  // physical
  Arena& arena;
  EvalErrors& errors;

  size_t size() const { return rows.size(); }

  template <class T>
  T* NewValues(Vector* result) const {
    T* values = arena.NewArray<T>(size());
    result->values = values;
    return values;
  }
  // The values, all zero.
  template <class T>
  T* NewZeroes(Vector* result) const {
    T* values = NewValues<T>(result);
    std::memset(static_cast<void*>(values), 0, size() * sizeof(T));
    return values;
  }

  // A row is null where an argument is: what most functions do.
  void SetStrictValidity(Vector* result) const;
  // Bytes that may be written: 1 where not null.
  uint8_t* WritableValidity(Vector* result) const;

  // Makes one row an error and NULL. The message is asked for only if it will be kept.
  template <class MakeMessage>
  void Fail(size_t row, Vector* result, MakeMessage make_message) const {
    WritableValidity(result)[row] = 0;
    if (errors.WantsMessage(rows[row])) {
      errors.Record(rows[row], expr.range(), make_message());
    } else {
      errors.Record(rows[row]);
    }
  }
  // The same for every row whose `bad` is not 0, if it is not null: messages[bad - 1].
  void FailRows(const uint8_t* bad, std::initializer_list<const char*> messages,
                Vector* result) const;
  // Memory for the string of one row. Null: it, or all of this evaluation, would be too long; the
  // row has failed.
  char* NewString(size_t row, size_t bytes, Vector* result) const;
};

// body(row, value) for every row of one argument.
template <class A, class Body>
void ForEach(const Vector& a, size_t size, Body body) {
  const A* x = a.As<A>();
  if (a.is_constant) {
    const A value = *x;
    for (size_t i = 0; i < size; ++i) body(i, value);
  } else {
    for (size_t i = 0; i < size; ++i) body(i, x[i]);
  }
}

// body(row, left, right); a loop of its own for a constant side, so that it stays in a register.
template <class A, class B, class Body>
void ForEachPair(const Vector& a, const Vector& b, size_t size, Body body) {
  const A* x = a.As<A>();
  const B* y = b.As<B>();
  if (b.is_constant) {
    const B right = *y;
    if (a.is_constant) {
      const A left = *x;
      for (size_t i = 0; i < size; ++i) body(i, left, right);
    } else {
      for (size_t i = 0; i < size; ++i) body(i, x[i], right);
    }
  } else if (a.is_constant) {
    const A left = *x;
    for (size_t i = 0; i < size; ++i) body(i, left, y[i]);
  } else {
    for (size_t i = 0; i < size; ++i) body(i, x[i], y[i]);
  }
}

// result[i] = function(a[i]), null where a is.
template <class A, class Out, class Function>
void MapStrict(const KernelCall& call, Vector* result, Function function) {
  Out* out = call.NewValues<Out>(result);
  call.SetStrictValidity(result);
  ForEach<A>(call.args[0], call.size(), [&](size_t i, const A& a) { out[i] = function(a); });
}

template <class A, class B, class Out, class Function>
void MapPairsStrict(const KernelCall& call, Vector* result, Function function) {
  Out* out = call.NewValues<Out>(result);
  call.SetStrictValidity(result);
  ForEachPair<A, B>(call.args[0], call.args[1], call.size(),
                    [&](size_t i, const A& a, const B& b) { out[i] = function(a, b); });
}

// The same for functions that can fail: function(a, &out) returns 0, or which of the messages (from
// 1) tells what is wrong with the row. `out` must be set even then.
template <class A, class Out, class Function>
void TryMap(const KernelCall& call, Vector* result, std::initializer_list<const char*> messages,
            Function function) {
  Out* out = call.NewValues<Out>(result);
  uint8_t* bad = call.arena.NewArray<uint8_t>(call.size());
  call.SetStrictValidity(result);
  uint8_t any = 0;
  ForEach<A>(call.args[0], call.size(), [&](size_t i, const A& a) {
    bad[i] = function(a, &out[i]);
    any |= bad[i];
  });
  if (any != 0) call.FailRows(bad, messages, result);
}

template <class A, class B, class Out, class Function>
void TryMapPairs(const KernelCall& call, Vector* result,
                 std::initializer_list<const char*> messages, Function function) {
  Out* out = call.NewValues<Out>(result);
  uint8_t* bad = call.arena.NewArray<uint8_t>(call.size());
  call.SetStrictValidity(result);
  uint8_t any = 0;
  ForEachPair<A, B>(call.args[0], call.args[1], call.size(), [&](size_t i, const A& a, const B& b) {
    bad[i] = function(a, b, &out[i]);
    any |= bad[i];
  });
  if (any != 0) call.FailRows(bad, messages, result);
}

}  // namespace weir::expr
