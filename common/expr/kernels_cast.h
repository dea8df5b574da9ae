// Kernels of CAST, with PostgreSQL's rounding: double to integer half to even, decimal to integer
// and to fewer digits half away from zero.
#pragma once

#include "common/expr/kernel.h"

namespace weir::expr {

// Null: there is no such cast. The types differ.
Kernel CastKernel(const types::DataType& from, const types::DataType& to);

// Whether a value of `from` may have no value of `to`. REQUIRES: there is a cast.
bool CastCanFail(const types::DataType& from, const types::DataType& to);

// Those from and to strings (kernels_cast_text.cpp); null as above.
Kernel CastFromTextKernel(types::TypeKind to);
Kernel CastToTextKernel(types::TypeKind from);

}  // namespace weir::expr
