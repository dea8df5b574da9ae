// Kernels of string functions. Positions and lengths count characters (code points), from 1.
// Results are views into their arguments where nothing new has to be written.
#pragma once

#include "common/expr/kernel.h"

namespace weir::expr {

// Only ASCII letters change, as in PostgreSQL under the C collation.
void LowerKernel(const KernelCall& call, Vector* result);
void UpperKernel(const KernelCall& call, Vector* result);

void LengthKernel(const KernelCall& call, Vector* result);
void ConcatKernel(const KernelCall& call, Vector* result);
void ReplaceKernel(const KernelCall& call, Vector* result);

// (text) or (text, characters): from both ends, the left, the right.
void TrimKernel(const KernelCall& call, Vector* result);
void LeftTrimKernel(const KernelCall& call, Vector* result);
void RightTrimKernel(const KernelCall& call, Vector* result);

// (text, start) or (text, start, count).
void SubstringKernel(const KernelCall& call, Vector* result);

// (text, delimiter, n): the n-th part; from the end if n is negative.
void SplitPartKernel(const KernelCall& call, Vector* result);

}  // namespace weir::expr
