// TreeBinder: arithmetic, comparisons and `||`.
#include <cmath>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "common/expr/kernels_decimal.h"
#include "common/expr/kernels_string.h"
#include "common/expr/node_factory.h"
#include "common/expr/text_values.h"
#include "common/expr/tree_binder.h"
#include "common/expr/type_rules.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::TypeKind;

absl::optional<CompareOp> FindCompareOp(StringView name) {
  if (name == "=") return CompareOp::kEqual;
  if (name == "<>") return CompareOp::kNotEqual;
  if (name == "<") return CompareOp::kLess;
  if (name == "<=") return CompareOp::kLessEqual;
  if (name == ">") return CompareOp::kGreater;
  if (name == ">=") return CompareOp::kGreaterEqual;
  return absl::nullopt;
}

absl::optional<ArithmeticOp> FindArithmeticOp(StringView name) {
  if (name == "+") return ArithmeticOp::kAdd;
  if (name == "-") return ArithmeticOp::kSubtract;
  if (name == "*") return ArithmeticOp::kMultiply;
  if (name == "/") return ArithmeticOp::kDivide;
  if (name == "%") return ArithmeticOp::kModulo;
  return absl::nullopt;
}

// What to write instead of an operator that other languages have.
std::vector<std::string> OperatorHelp(StringView name) {
  if (name == "==") return {"equality is written ="};
  if (name == "&&") return {"write AND"};
  if (name == "!") return {"write NOT"};
  if (name == "~" || name == "~*") return {"write LIKE or ILIKE; % stands for any text"};
  return {};
}

// What a constant text says, if it stands for a number that may be compared with one of `type`.
absl::optional<std::string> QuotedNumber(const BoundExpr& text, const DataType& type) {
  const absl::optional<StringView> written = ConstantText(text);
  double value = 0;
  const bool is_number = written && type.IsNumeric() &&
                         ParseDouble(*written, &value) == ParseOutcome::kOk && std::isfinite(value);
  if (!is_number) return absl::nullopt;
  return std::string(absl::StripAsciiWhitespace(*written));
}

// What to write instead, where an operand's type keeps two from going together.
std::vector<std::string> OperandHelp(const BoundExpr& left, const BoundExpr& right) {
  const auto one_is = [&](TypeKind kind) {
    return left.type().kind == kind || right.type().kind == kind;
  };
  if (one_is(TypeKind::kTimestamp) && one_is(TypeKind::kString)) {
    return {
        "write a constant as timestamptz '2026-01-01 00:00:00Z', or use "
        "CAST(... AS timestamptz)"};
  }
  if (one_is(TypeKind::kTimestamp) && one_is(TypeKind::kDate)) {
    return {"use CAST(... AS date) or CAST(... AS timestamptz) on one of them"};
  }
  if (one_is(TypeKind::kDate) && one_is(TypeKind::kString)) {
    return {"write a constant as date '2026-01-01', or use CAST(... AS date)"};
  }
  if (one_is(TypeKind::kTimestamp)) return {"intervals are not available"};
  absl::optional<std::string> number = QuotedNumber(left, right.type());
  if (!number) number = QuotedNumber(right, left.type());
  if (number) return {absl::StrCat("write the number without quotes: ", *number)};
  const DataType& wanted = left.type().kind == TypeKind::kString ? right.type() : left.type();
  return {absl::StrCat("use CAST(... AS ", wanted.ToString(), ") on one of them")};
}

}  // namespace

BoundExprPtr TreeBinder::NoOperator(TextRange range, const std::string& name, const BoundExpr& left,
                                    const BoundExpr& right) {
  return Fail(
      range, config::codes::kExpressionType,
      absl::StrCat("no operator ", left.type().ToString(), " ", name, " ", right.type().ToString()),
      "", OperandHelp(left, right));
}

// A chain of operators that leans to the left is bound from its innermost one outwards.
BoundExprPtr TreeBinder::BindOperator(const AstNode& node) {
  std::vector<const AstNode*> chain = {&node};
  while (chain.back()->children.front()->kind == AstKind::kOperator &&
         chain.back()->children.size() == 2) {
    chain.push_back(chain.back()->children.front().get());
  }
  BoundExprPtr left = Bind(*chain.back()->children.front());
  for (; !chain.empty(); chain.pop_back()) {
    const AstNode& at = *chain.back();
    if (at.children.size() == 1) {
      if (left != nullptr) left = BindSign(at, std::move(left));
      continue;
    }
    BoundExprPtr right = Bind(*at.children.back());
    const bool is_good = left != nullptr && right != nullptr;
    left = is_good ? BindBinary(at, std::move(left), std::move(right)) : nullptr;
  }
  return left;
}

BoundExprPtr TreeBinder::BindBinary(const AstNode& node, BoundExprPtr left, BoundExprPtr right) {
  if (FindCompareOp(node.text)) {
    return BindCompare(node.range, node.text, std::move(left), std::move(right));
  }
  if (node.text == "||") return BindConcat(node, std::move(left), std::move(right));
  const absl::optional<ArithmeticOp> op = FindArithmeticOp(node.text);
  if (op) return BindArithmetic(node, *op, std::move(left), std::move(right));
  return Fail(node.range, config::codes::kUnsupportedExpression,
              absl::StrCat("the operator ", node.text, " is not supported in an expression"), "",
              OperatorHelp(node.text));
}

BoundExprPtr TreeBinder::BindSign(const AstNode& node, BoundExprPtr operand) {
  if (node.text != "-" && node.text != "+") {
    return Fail(node.range, config::codes::kUnsupportedExpression,
                absl::StrCat("the operator ", node.text, " is not supported in an expression"), "",
                OperatorHelp(node.text));
  }
  operand = GiveType(std::move(operand), types::kInt32Type);
  const DataType type = operand->type();
  if (!type.IsNumeric()) {
    return Fail(node.range, config::codes::kExpressionType,
                absl::StrCat("no operator ", node.text, " ", type.ToString()), "",
                {"use CAST to a number"});
  }
  if (node.text == "+") return operand;
  return MakeCall({.kernel = NegateKernel(type.kind),
                   .type = type,
                   .args = {std::move(operand)},
                   .prepared = nullptr,
                   .failing = type.IsInteger() ? Failing::kPossible : Failing::kNever,
                   .range = node.range});
}

BoundExprPtr TreeBinder::BindArithmetic(const AstNode& node, ArithmeticOp op, BoundExprPtr left,
                                        BoundExprPtr right) {
  if (left->type().kind == TypeKind::kDate || right->type().kind == TypeKind::kDate) {
    return BindDateArithmetic(node, op, std::move(left), std::move(right));
  }
  left = GiveType(std::move(left), right->type());
  right = GiveType(std::move(right), left->type());
  const absl::optional<DataType> common = CommonType({left, right});
  if (!common || !common->IsNumeric()) return NoOperator(node.range, node.text, *left, *right);
  CallSpec spec{.type = *common,
                .args = {std::move(left), std::move(right)},
                .prepared = nullptr,
                .failing = Failing::kPossible,
                .range = node.range};
  if (common->kind != TypeKind::kDecimal) {
    spec.kernel = ArithmeticKernel(op, common->kind);
    if (spec.kernel == nullptr) {
      return Fail(node.range, config::codes::kExpressionType, "no operator double % double", "",
                  {"use CAST(... AS decimal(38,6)) on both"});
    }
    WidenAll(*common, &spec.args);
    return MakeCall(std::move(spec));
  }
  const DataType left_type = DecimalTypeOf(*spec.args[0]);
  const DataType right_type = DecimalTypeOf(*spec.args[1]);
  const absl::optional<DataType> result = DecimalResultType(op, left_type, right_type);
  if (!result) {
    return Fail(node.range, config::codes::kExpressionType,
                absl::StrCat(left_type.ToString(), " ", node.text, " ", right_type.ToString(),
                             " has more than 38 digits behind the point"),
                "", {"use CAST to a decimal with fewer on one of them"});
  }
  spec.kernel = DecimalKernel(op);
  spec.type = *result;
  spec.args[0] = MakeCast(spec.args[0], left_type, spec.args[0]->range());
  spec.args[1] = MakeCast(spec.args[1], right_type, spec.args[1]->range());
  return MakeCall(std::move(spec));
}

BoundExprPtr TreeBinder::BindDateArithmetic(const AstNode& node, ArithmeticOp op, BoundExprPtr left,
                                            BoundExprPtr right) {
  const auto is = [](const BoundExprPtr& expr, TypeKind kind) { return expr->type().kind == kind; };
  left = GiveType(std::move(left), types::kInt32Type);
  right = GiveType(std::move(right), types::kInt32Type);
  CallSpec spec{.type = types::kDateType,
                .args = {},
                .prepared = nullptr,
                .failing = Failing::kPossible,
                .range = node.range};
  const bool adds = op == ArithmeticOp::kAdd;
  const bool subtracts = op == ArithmeticOp::kSubtract;
  if (subtracts && is(left, TypeKind::kDate) && is(right, TypeKind::kDate)) {
    spec.kernel = &DaysBetweenKernel;
    spec.type = types::kInt32Type;
  } else if ((adds || subtracts) && is(left, TypeKind::kDate) && is(right, TypeKind::kInt32)) {
    spec.kernel = adds ? &AddDaysKernel : &SubtractDaysKernel;
  } else if (adds && is(left, TypeKind::kInt32) && is(right, TypeKind::kDate)) {
    spec.kernel = &AddDaysKernel;
    std::swap(left, right);
  } else {
    return NoOperator(node.range, node.text, *left, *right);
  }
  spec.args = {std::move(left), std::move(right)};
  return MakeCall(std::move(spec));
}

BoundExprPtr TreeBinder::BindConcat(const AstNode& node, BoundExprPtr left, BoundExprPtr right) {
  left = GiveType(std::move(left), types::kStringType);
  right = GiveType(std::move(right), types::kStringType);
  if (left->type() != types::kStringType || right->type() != types::kStringType) {
    return Fail(
        node.range, config::codes::kExpressionType,
        absl::StrCat("no operator ", left->type().ToString(), " || ", right->type().ToString()), "",
        {"use CAST(... AS string) on what is no string"});
  }
  return MakeCall({.kernel = &ConcatKernel,
                   .type = types::kStringType,
                   .args = {std::move(left), std::move(right)},
                   .prepared = nullptr,
                   .failing = Failing::kPossible,
                   .range = node.range});
}

BoundExprPtr TreeBinder::BindCompare(TextRange range, const std::string& name, BoundExprPtr left,
                                     BoundExprPtr right) {
  std::vector<BoundExprPtr> operands = {std::move(left), std::move(right)};
  const absl::optional<DataType> common = CommonType(operands);
  if (!common || !IsComparable(common->kind)) {
    return NoOperator(range, name, *operands[0], *operands[1]);
  }
  if (common->kind == TypeKind::kDecimal) {
    // Each at its own scale: their kernel compares without rescaling, which could overflow.
    for (BoundExprPtr& operand : operands) {
      operand = GiveType(std::move(operand), *common);
      operand = MakeCast(operand, DecimalTypeOf(*operand), operand->range());
    }
  } else {
    WidenAll(*common, &operands);
  }
  return MakeCall({.kernel = CompareKernel(*FindCompareOp(name), common->kind),
                   .type = types::kBoolType,
                   .args = std::move(operands),
                   .prepared = nullptr,
                   .range = range});
}

}  // namespace weir::expr
