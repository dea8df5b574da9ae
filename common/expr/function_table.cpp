#include "common/expr/function_table.h"

#include <algorithm>
#include <utility>

#include "common/expr/function_defs.h"

namespace weir::expr {
namespace {

std::vector<FunctionDef> MakeFunctions() {
  std::vector<FunctionDef> all;
  for (auto* part :
       {&StringFunctions, &NumberFunctions, &TimeFunctions, &SyntaxForms, &Aggregates}) {
    std::vector<FunctionDef> functions = part();
    std::move(functions.begin(), functions.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

absl::Span<const FunctionDef> AllFunctions() {
  static const std::vector<FunctionDef> all = MakeFunctions();
  return all;
}

const FunctionDef* FindFunction(StringView name) {
  for (const FunctionDef& function : AllFunctions()) {
    if (name == function.info.name && !function.overloads.empty()) return &function;
  }
  return nullptr;
}

bool IsAggregateName(StringView name) {
  const absl::Span<const FunctionDef> all = AllFunctions();
  return std::any_of(all.begin(), all.end(), [name](const FunctionDef& function) {
    return name == function.info.name && StringView(function.info.group) == "aggregate";
  });
}

std::vector<FunctionInfo> ListFunctions() {
  std::vector<FunctionInfo> infos;
  for (const FunctionDef& function : AllFunctions()) infos.push_back(function.info);
  std::sort(infos.begin(), infos.end(), [](const FunctionInfo& a, const FunctionInfo& b) {
    return StringView(a.name) < StringView(b.name);
  });
  return infos;
}

}  // namespace weir::expr
