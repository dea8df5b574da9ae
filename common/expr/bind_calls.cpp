// TreeBinder: casts and function calls.
#include <algorithm>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include "common/config/names.h"
#include "common/expr/function_defs.h"
#include "common/expr/node_factory.h"
#include "common/expr/tree_binder.h"
#include "common/expr/type_rules.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::TypeKind;

// As they are written in a CAST, where PostgreSQL's bare `timestamp` is a wall clock.
constexpr const char* kTypeNames[] = {"bool",   "int32",       "int64", "double",
                                      "string", "timestamptz", "date",  "decimal"};

// The name that schemas have, and the one to write here.
void AppendTypeName(std::string* out, const std::string& name) {
  absl::StrAppend(out, name == "timestamptz" ? "timestamp (here: timestamptz)" : name);
}

// Names that PostgreSQL's grammar makes of what was written.
std::string WrittenName(const std::string& name) {
  if (name == "float4") return "real";
  if (name == "int2") return "smallint";
  if (name == "bpchar") return "char";
  return name;
}

// What to write instead of a function that other systems have; "": nothing is known of it.
std::string ElsewhereHelp(StringView name) {
  static constexpr std::pair<const char*, const char*> kElsewhere[] = {
      {"concat", "texts are joined by ||: a || ' ' || b"},
      {"if", "write CASE WHEN condition THEN x ELSE y END"},
      {"iif", "write CASE WHEN condition THEN x ELSE y END"},
      {"ifnull", "write COALESCE(x, y)"},
      {"isnull", "write x IS NULL, or COALESCE(x, y)"},
      {"nvl", "write COALESCE(x, y)"},
      {"len", "write length(x)"},
      {"ucase", "write upper(x)"},
      {"lcase", "write lower(x)"},
      {"mod", "write x % y"},
      {"now", "there is no current time: a row gives the same result whenever it is computed"},
  };
  for (const auto& [known, help] : kElsewhere) {
    if (name == known) return help;
  }
  return "";
}

std::string ListTypes(const std::vector<BoundExprPtr>& args) {
  return absl::StrJoin(args, ", ", [](std::string* out, const BoundExprPtr& arg) {
    absl::StrAppend(out, arg->type().ToString());
  });
}

std::vector<std::string> SignatureHelp(const FunctionDef& function) {
  return absl::StrSplit(function.info.signatures, '\n');
}

// The type that an argument takes on for a parameter of this kind; nullopt: it does not fit.
absl::optional<DataType> ParameterType(const BoundExpr& arg, TypeKind kind) {
  if (arg.type().kind == kind) return arg.type();
  if (kind == TypeKind::kDecimal && arg.type().IsInteger()) return DecimalTypeOf(arg);
  const DataType type = kind == TypeKind::kDecimal
                            ? types::DecimalType(types::kDecimalPrecisionMax, 0)
                            : DataType{.kind = kind};
  if (!WidensTo(arg.type(), type)) return absl::nullopt;
  return type;
}

enum class Fit : uint8_t { kNone, kWidening, kExact };

Fit FitOf(const Overload& overload, const std::vector<BoundExprPtr>& args) {
  if (overload.args.size() != args.size()) return Fit::kNone;
  Fit fit = Fit::kExact;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i]->type().kind == overload.args[i]) continue;
    if (!ParameterType(*args[i], overload.args[i])) return Fit::kNone;
    fit = Fit::kWidening;
  }
  return fit;
}

const Overload* FindOverload(const FunctionDef& function, const std::vector<BoundExprPtr>& args) {
  const Overload* widening = nullptr;
  for (const Overload& overload : function.overloads) {
    const Fit fit = FitOf(overload, args);
    if (fit == Fit::kExact) return &overload;
    if (fit == Fit::kWidening && widening == nullptr) widening = &overload;
  }
  return widening;
}

}  // namespace

bool TreeBinder::FindCastType(const AstNode& node, const BoundExpr& arg, DataType* type) {
  if (node.text == "numeric" || node.text == "decimal") {
    // PostgreSQL's numeric keeps every digit; here that is possible for exact numbers only.
    if (arg.type().IsInteger() || arg.type().kind == TypeKind::kDecimal) {
      *type = DecimalTypeOf(arg);
      return true;
    }
    Fail(node.type_range, config::codes::kExpressionType,
         "a CAST to decimal needs the number of digits here", "",
         {"write decimal(p,s): p digits, s of them behind the point, such as decimal(38,6)"});
    return false;
  }
  const absl::optional<DataType> found = types::ParseDataType(node.text);
  if (found) {
    *type = *found;
    return true;
  }
  if (absl::StartsWith(node.text, "numeric(") || absl::StartsWith(node.text, "decimal(")) {
    Fail(node.type_range, config::codes::kBadPrecision,
         "a decimal(p,s) has 1 to 38 digits, 0 to p of them behind the point");
    return false;
  }
  const std::string written = WrittenName(node.text);
  const std::vector<std::string> names(std::begin(kTypeNames), std::end(kTypeNames));
  const std::string suggestion = config::DidYouMean(written, names);
  std::vector<std::string> help;
  if (absl::StartsWith(node.text, "varchar(")) help.emplace_back("a string has no greatest length");
  Fail(node.type_range, config::codes::kUnknownType, absl::StrCat("unknown type '", written, "'"),
       absl::StrCat(suggestion, suggestion.empty() ? "" : " ",
                    "types: ", absl::StrJoin(names, ", ", &AppendTypeName)),
       std::move(help));
  return false;
}

BoundExprPtr TreeBinder::BindCast(const AstNode& node) {
  const BoundExprPtr arg = Bind(*node.children[0]);
  if (arg == nullptr) return nullptr;
  DataType type;
  if (!FindCastType(node, *arg, &type)) return nullptr;
  BoundExprPtr cast = MakeCast(arg, type, node.range);
  if (cast == nullptr) {
    const bool by_int32 = CommonType({arg, MakeNull(types::kInt32Type, node.range)}).has_value() ||
                          arg->type() == types::kBoolType;
    std::vector<std::string> help;
    if (by_int32 && (type.IsNumeric() || type == types::kBoolType)) {
      help.emplace_back("CAST to int32 first");
    }
    return Fail(node.range, config::codes::kExpressionType,
                absl::StrCat("no cast from ", arg->type().ToString(), " to ", type.ToString()), "",
                std::move(help));
  }
  // A literal that does not read as its type is an error here rather than of every row.
  if (cast->IsConstant() || !ConstantText(*arg) || node.children[0]->kind != AstKind::kString) {
    return cast;
  }
  std::string message;
  ComputeConstant(*cast, &message);
  return Fail(arg->range(), config::codes::kBadConstant, message);
}

BoundExprPtr TreeBinder::BindCall(const AstNode& node) {
  if (IsAggregateName(node.text)) {
    return Fail(node.range, config::codes::kMisplacedAggregate,
                absl::StrCat("the aggregate ", node.text, " is not allowed here"), "",
                {"aggregates belong into an aggregate step, each as an expression of its own"});
  }
  std::vector<BoundExprPtr> args;
  const bool ok = BindChildren(node, &args);
  const FunctionDef* function = FindFunction(node.text);
  if (function == nullptr) return UnknownFunction(node);
  if (!ok) return nullptr;
  if (node.is_star || node.is_distinct) {
    return Fail(node.range, config::codes::kUnsupportedExpression,
                absl::StrCat(node.text, " is no aggregate: it takes neither * nor DISTINCT"));
  }
  const Overload* overload = FindOverload(*function, args);
  if (overload == nullptr) {
    std::vector<std::string> help = SignatureHelp(*function);
    help.emplace_back("CAST the arguments to these types");
    return Fail(node.range, config::codes::kUnknownFunction,
                absl::StrCat("no function ", node.text, "(", ListTypes(args), ")"), "",
                std::move(help));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const TextRange range = args[i]->range();
    args[i] = MakeCast(args[i], *ParameterType(*args[i], overload->args[i]), range);
  }
  CallSpec spec{.kernel = overload->kernel,
                .type = overload->result,
                .args = std::move(args),
                .prepared = nullptr,
                .failing = overload->failing,
                .range = node.range};
  if (overload->specialize != nullptr) {
    const std::vector<BoundExprPtr> given = spec.args;
    size_t bad_arg = 0;
    const absl::Status status = overload->specialize(&spec, &bad_arg);
    if (!status.ok()) {
      return Fail(given[bad_arg]->range(), config::codes::kBadConstant,
                  absl::StrCat(node.text, ": ", status.message()), "", SignatureHelp(*function));
    }
  }
  return MakeCall(std::move(spec));
}

BoundExprPtr TreeBinder::UnknownFunction(const AstNode& node) {
  std::string elsewhere = ElsewhereHelp(node.text);
  if (!elsewhere.empty()) {
    return Fail(node.range, config::codes::kUnknownFunction,
                absl::StrCat("unknown function '", node.text, "'"), "", {std::move(elsewhere)});
  }
  std::vector<std::string> names;
  for (const FunctionDef& function : AllFunctions()) names.emplace_back(function.info.name);
  const std::string nearest = config::NearestName(node.text, names);
  std::vector<std::string> help;
  if (const FunctionDef* function = FindFunction(nearest)) help = SignatureHelp(*function);
  return Fail(node.range, config::codes::kUnknownFunction,
              absl::StrCat("unknown function '", node.text, "'"),
              config::DidYouMean(node.text, names), std::move(help));
}

}  // namespace weir::expr
