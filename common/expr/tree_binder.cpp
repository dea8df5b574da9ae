#include "common/expr/tree_binder.h"

#include <algorithm>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include "common/config/names.h"
#include "common/expr/node_factory.h"

namespace weir::expr {
namespace {

// Most names that an error lists.
constexpr size_t kListedNamesMax = 20;

}  // namespace

BoundExprPtr TreeBinder::Bind(const AstNode& node) {
  switch (node.kind) {
    case AstKind::kColumn:
      return BindColumn(node);
    case AstKind::kNumber:
      return BindNumber(node);
    case AstKind::kString:
      return MakeString(node.text, node.range);
    case AstKind::kBool:
      return MakeBool(node.text == "true", node.range);
    case AstKind::kNull:
      return MakeNull(types::kNullType, node.range);
    case AstKind::kOperator:
      return BindOperator(node);
    case AstKind::kAnd:
    case AstKind::kOr:
    case AstKind::kNot:
      return BindLogic(node);
    case AstKind::kIsNull:
    case AstKind::kIsTrue:
    case AstKind::kIsFalse:
      return BindTest(node);
    case AstKind::kIsDistinct:
      return BindDistinct(node);
    case AstKind::kIn:
      return BindIn(node);
    case AstKind::kBetween:
      return BindBetween(node);
    case AstKind::kLike:
      return BindLike(node);
    case AstKind::kNullIf:
      return BindNullIf(node);
    case AstKind::kCase:
      return BindCase(node);
    case AstKind::kCoalesce:
      return BindCoalesce(node);
    case AstKind::kCast:
      return BindCast(node);
    case AstKind::kCall:
      return BindCall(node);
  }
  return nullptr;
}

BoundExprPtr TreeBinder::BindCondition(const AstNode& node) {
  BoundExprPtr bound = GiveType(Bind(node), types::kBoolType);
  if (bound == nullptr || bound->type() == types::kBoolType) return bound;
  return Fail(bound->range(), config::codes::kNotBoolean,
              absl::StrCat("a condition must be bool, this is ", bound->type().ToString()));
}

BoundExprPtr TreeBinder::GiveType(BoundExprPtr expr, const types::DataType& type) {
  if (expr == nullptr || expr->type() != types::kNullType) return expr;
  return MakeNull(type, expr->range());
}

BoundExprPtr TreeBinder::Fail(TextRange range, const config::DiagnosticCode& code,
                              std::string message, std::string label,
                              std::vector<std::string> help) {
  errors_->push_back({range, code, std::move(message), std::move(label), std::move(help)});
  return nullptr;
}

bool TreeBinder::BindChildren(const AstNode& node, std::vector<BoundExprPtr>* bound) {
  bool ok = true;
  for (const AstPtr& child : node.children) {
    bound->push_back(Bind(*child));
    ok = ok && bound->back() != nullptr;
  }
  return ok;
}

BoundExprPtr TreeBinder::BindColumn(const AstNode& node) {
  if (!node.qualifier.empty() && node.qualifier != scope_.name) {
    const std::string known = scope_.name.empty()
                                  ? "write the column's name alone"
                                  : absl::StrCat("the input is '", scope_.name, "'");
    return Fail(node.range, config::codes::kUnknownColumn,
                absl::StrCat("unknown input '", node.qualifier, "' in expression"), known);
  }
  const absl::optional<size_t> column = scope_.schema.Find(node.text);
  if (!column) return UnknownColumn(node);
  const types::Field& field = scope_.schema.field(*column);
  const bool usable =
      field.type.kind != types::TypeKind::kArray || field.type.element == types::TypeKind::kString;
  if (!usable) {
    return Fail(node.range, config::codes::kExpressionType,
                absl::StrCat("an expression cannot read a column of type ", field.type.ToString()));
  }
  return MakeColumn(*column, field.type, field.nullable, node.range);
}

BoundExprPtr TreeBinder::UnknownColumn(const AstNode& node) {
  std::vector<std::string> names;
  std::vector<std::string> help;
  for (const types::Field& field : scope_.schema.fields()) {
    names.push_back(field.name);
    if (field.name != node.text && absl::EqualsIgnoreCase(field.name, node.text)) {
      help.push_back(absl::StrCat("names are read in lower case unless quoted: write \"",
                                  field.name, "\" in double quotes"));
    }
  }
  const std::string suggestion = config::DidYouMean(node.text, names);
  // A name without quotes is as long as what it reads as.
  const bool is_quoted = node.qualifier.empty() && node.range.length > node.text.size();
  if (is_quoted && help.empty() && suggestion.empty()) {
    help.push_back(absl::StrCat("a text stands in single quotes: '", node.text,
                                "'; double quotes are for names"));
  }
  const std::string of = scope_.name.empty() ? "" : absl::StrCat(" of '", scope_.name, "'");
  const std::string listed =
      names.empty() ? absl::StrCat("there are no columns", of)
                    : absl::StrCat("columns", of, ": ", config::JoinNames(names, kListedNamesMax));
  return Fail(node.range, config::codes::kUnknownColumn,
              absl::StrCat("unknown column '", node.text, "' in expression"),
              suggestion.empty() ? listed : absl::StrCat(suggestion, " ", listed), std::move(help));
}

// An integer is the least of int32, int64 and decimal that holds it; a point makes a decimal, an
// exponent a double.
BoundExprPtr TreeBinder::BindNumber(const AstNode& node) {
  const StringView text = node.text;
  if (text.find_first_of("eE") != StringView::npos) {
    double value = 0;
    // What is beyond a double becomes infinite here.
    if (!absl::SimpleAtod(text, &value) || value - value != 0) {
      return Fail(node.range, config::codes::kBadConstant, "the constant does not fit a double");
    }
    return MakeFixed(types::kDoubleType, value, node.range);
  }
  const size_t point = text.find('.');
  if (point == StringView::npos) {
    int32_t small = 0;
    if (absl::SimpleAtoi(text, &small)) return MakeFixed(types::kInt32Type, small, node.range);
    int64_t large = 0;
    if (absl::SimpleAtoi(text, &large)) return MakeFixed(types::kInt64Type, large, node.range);
  }
  StringView front = text.substr(0, point);
  front.remove_prefix(std::min(front.find_first_not_of("-0"), front.size()));
  const size_t scale = point == StringView::npos ? 0 : text.size() - point - 1;
  const size_t precision = std::max<size_t>(front.size() + scale, 1);
  if (precision > static_cast<size_t>(types::kDecimalPrecisionMax)) {
    return Fail(
        node.range, config::codes::kBadConstant,
        absl::StrCat("the constant has more than ", types::kDecimalPrecisionMax, " digits"));
  }
  const types::DataType type =
      types::DecimalType(static_cast<int>(precision), static_cast<int>(scale));
  const absl::optional<types::Int128> value = types::ParseDecimal(text, type.precision, type.scale);
  if (!value) {
    return Fail(node.range, config::codes::kBadConstant, "the constant is not a decimal number");
  }
  return MakeFixed(type, *value, node.range);
}

}  // namespace weir::expr
