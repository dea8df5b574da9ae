// Kernels of + - * / % and of unary minus, for integers, doubles and dates. Decimals have their own
// file. As in PostgreSQL, what does not fit the type is an error of the row, for doubles too.
#pragma once

#include "common/expr/kernel.h"

namespace weir::expr {

enum class ArithmeticOp : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo };

// Both arguments and the result are of `kind`. Null: there is none (double has no %).
// REQUIRES: int32, int64 or double.
Kernel ArithmeticKernel(ArithmeticOp op, types::TypeKind kind);

// REQUIRES: int32, int64, double or decimal.
Kernel NegateKernel(types::TypeKind kind);

// date + int32, date - int32: a date so many days away.
void AddDaysKernel(const KernelCall& call, Vector* result);
void SubtractDaysKernel(const KernelCall& call, Vector* result);
// date - date: int32 days.
void DaysBetweenKernel(const KernelCall& call, Vector* result);

}  // namespace weir::expr
