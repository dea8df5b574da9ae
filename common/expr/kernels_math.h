// Kernels of abs, round, floor and ceil.
#pragma once

#include "common/expr/kernel.h"

namespace weir::expr {

// REQUIRES: int32, int64, double or decimal.
Kernel AbsKernel(types::TypeKind kind);

// Double: half to even, as PostgreSQL.
void RoundDoubleKernel(const KernelCall& call, Vector* result);
void FloorDoubleKernel(const KernelCall& call, Vector* result);
void CeilDoubleKernel(const KernelCall& call, Vector* result);

// Decimal to the result type's scale, which is not greater: half away from zero.
void RoundDecimalKernel(const KernelCall& call, Vector* result);
void FloorDecimalKernel(const KernelCall& call, Vector* result);
void CeilDecimalKernel(const KernelCall& call, Vector* result);

// (decimal, int32 n): to n digits behind the point; left of it if n is negative.
void RoundDecimalDigitsKernel(const KernelCall& call, Vector* result);

}  // namespace weir::expr
