// Kernels of truth and nullness: NOT, IS NULL, IS TRUE, IS FALSE.
#pragma once

#include "common/expr/kernel.h"

namespace weir::expr {

void NotKernel(const KernelCall& call, Vector* result);
// The rest never give NULL.
void IsNullKernel(const KernelCall& call, Vector* result);
void IsNotNullKernel(const KernelCall& call, Vector* result);
void IsTrueKernel(const KernelCall& call, Vector* result);
void IsNotTrueKernel(const KernelCall& call, Vector* result);
void IsFalseKernel(const KernelCall& call, Vector* result);
void IsNotFalseKernel(const KernelCall& call, Vector* result);

}  // namespace weir::expr
