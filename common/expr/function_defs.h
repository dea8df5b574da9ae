// The definitions behind function_table.h: overloads, kernels, and what they make of constants.
#pragma once

#include <vector>

#include <absl/status/status.h>
#include <absl/types/span.h>

#include "common/expr/function_table.h"
#include "common/expr/node_factory.h"

namespace weir::expr {

// Adapts a call to its arguments: sets the result type of decimals, prepares constant arguments and
// takes them away. INVALID_ARGUMENT: what is wrong with args[*bad_arg].
using Specialize = absl::Status (*)(CallSpec* spec, size_t* bad_arg);

struct Overload {
  std::vector<types::TypeKind> args;
  types::DataType result;
  Kernel kernel = nullptr;
  Failing failing = Failing::kNever;
  Specialize specialize = nullptr;  // must set the type of a decimal result
};

struct FunctionDef {
  FunctionInfo info;
  // Tried in order, an exact match first. Empty: a form with its own syntax, listed for people
  // only.
  std::vector<Overload> overloads;
};

// All of them, not sorted. Each part is in functions_<part>.cpp, the last two in
// functions_syntax.cpp.
absl::Span<const FunctionDef> AllFunctions();
std::vector<FunctionDef> StringFunctions();
std::vector<FunctionDef> NumberFunctions();
std::vector<FunctionDef> TimeFunctions();
std::vector<FunctionDef> SyntaxForms();
std::vector<FunctionDef> Aggregates();

// Null: no function of this name with overloads.
const FunctionDef* FindFunction(StringView name);
bool IsAggregateName(StringView name);

}  // namespace weir::expr
