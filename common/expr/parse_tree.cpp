#include "common/expr/parse_tree.h"

#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "common/expr/binder.h"
#include "common/expr/tokens.h"

namespace weir::expr {
namespace {

using Json = nlohmann::json;

// body[key] as text; "" if it is not one.
std::string TextOf(const Json& body, const char* key) {
  const auto found = body.find(key);
  return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool IsSet(const Json& body, const char* key) {
  const auto found = body.find(key);
  return found != body.end() && found->is_boolean() && found->get<bool>();
}

// The strings of a list of String nodes; another node gives "".
std::vector<std::string> NamesOf(const Json& body, const char* key) {
  std::vector<std::string> names;
  const auto list = body.find(key);
  if (list == body.end()) return names;
  for (const Json& item : *list) {
    const auto name = item.find("String");
    names.push_back(name == item.end() ? "" : TextOf(*name, "sval"));
  }
  return names;
}

// The operator that is the left operand of the operator `body`; null: it is something else.
const Json* LeftOperator(const Json& body) {
  const auto left = body.find("lexpr");
  if (left == body.end()) return nullptr;
  const auto inner = left->find("A_Expr");
  return inner != left->end() && TextOf(*inner, "kind") == "AEXPR_OP" ? &*inner : nullptr;
}

// What to call a node that has no meaning in Weir.
std::string Describe(const std::string& type) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"SubLink", "a subquery"},
      {"ParamRef", "a parameter such as $1"},
      {"A_ArrayExpr", "an array"},
      {"A_Indirection", "a subscript or field"},
      {"RowExpr", "a row"},
      {"CollateClause", "COLLATE"},
      {"MinMaxExpr", "GREATEST or LEAST"},
      {"SQLValueFunction", "the current time or user"},
      {"XmlExpr", "XML"},
      {"GroupingFunc", "GROUPING"},
      {"SetToDefault", "DEFAULT"},
      {"NamedArgExpr", "a named argument"}};
  for (const auto& [key, name] : kNames) {
    if (type == key) return name;
  }
  return "this form of expression";
}

}  // namespace

AstPtr ParseTreeReader::Read(const Json& node) {
  if (!node.is_object() || node.size() != 1) {
    return Unsupported({0, 1}, "this form of expression");
  }
  const std::string& type = node.begin().key();
  const Json& body = node.begin().value();
  if (depth_ >= kExpressionDepthMax) {
    return TooLarge(RangeOf(body), absl::StrCat("the expression is nested deeper than ",
                                                kExpressionDepthMax, " levels"));
  }
  ++depth_;
  AstPtr read = ReadInner(type, body);
  --depth_;
  return read;
}

AstPtr ParseTreeReader::ReadInner(const std::string& type, const Json& body) {
  if (type == "A_Const") return ReadConstant(body);
  if (type == "ColumnRef") return ReadColumn(body);
  if (type == "A_Expr") return ReadAExpr(body);
  if (type == "BoolExpr") return ReadBool(body);
  if (type == "NullTest") return ReadNullTest(body);
  if (type == "BooleanTest") return ReadBooleanTest(body);
  if (type == "CaseExpr") return ReadCase(body);
  if (type == "TypeCast") return ReadCast(body);
  if (type == "FuncCall") return ReadCall(body);
  if (type == "CoalesceExpr") {
    AstPtr node = NewNode(AstKind::kCoalesce, body);
    if (!ReadChildren(body, "args", node.get())) return nullptr;
    return node;
  }
  return Unsupported(RangeOf(body), Describe(type));
}

AstPtr ParseTreeReader::ReadConstant(const Json& body) {
  AstPtr node = NewNode(AstKind::kNull, body);
  if (IsSet(body, "isnull")) return node;
  if (const auto value = body.find("ival"); value != body.end()) {
    node->kind = AstKind::kNumber;
    const auto digits = value->find("ival");
    node->text = digits != value->end() ? std::to_string(digits->get<int64_t>())
                                        : NonPositiveInteger(node->range.offset);
    return node;
  }
  if (const auto value = body.find("fval"); value != body.end()) {
    node->kind = AstKind::kNumber;
    node->text = TextOf(*value, "fval");
    return node;
  }
  if (const auto value = body.find("sval"); value != body.end()) {
    node->kind = AstKind::kString;
    node->text = TextOf(*value, "sval");
    return node;
  }
  if (const auto value = body.find("boolval"); value != body.end()) {
    node->kind = AstKind::kBool;
    node->text = IsSet(*value, "boolval") ? "true" : "false";
    return node;
  }
  return Unsupported(node->range, "a bit string");
}

// libpg_query prints only positive integers. The grammar folds signs into a constant, and leaves
// its position at the first sign, so the digits follow behind signs, blanks, comments and `(`.
std::string ParseTreeReader::NonPositiveInteger(size_t offset) const {
  const auto is_digit = [this](size_t at) {
    return absl::ascii_isdigit(static_cast<unsigned char>(text_[at]));
  };
  size_t at = SkipBlanks(text_, offset);
  while (at < text_.size() && !is_digit(at)) at = SkipBlanks(text_, at + 1);
  const size_t begin = at;
  while (at < text_.size() && is_digit(at)) ++at;
  return absl::StrCat("-", text_.substr(begin, at - begin));
}

AstPtr ParseTreeReader::ReadColumn(const Json& body) {
  AstPtr node = NewNode(AstKind::kColumn, body);
  std::vector<std::string> names = NamesOf(body, "fields");
  if (names.empty() || names.back().empty()) {
    return Unsupported(node->range, "`*`", "name the columns one by one");
  }
  if (names.size() > 2) return Unsupported(node->range, "a name with several points");
  node->text = std::move(names.back());
  if (names.size() == 2) node->qualifier = std::move(names.front());
  return node;
}

AstPtr ParseTreeReader::ReadAExpr(const Json& body) {
  const std::string kind = TextOf(body, "kind");
  if (kind == "AEXPR_OP") return ReadOperator(body);
  if (kind == "AEXPR_IN") return ReadIn(body);
  if (kind == "AEXPR_LIKE") return ReadLike(body, "LIKE");
  if (kind == "AEXPR_ILIKE") return ReadLike(body, "ILIKE");
  if (kind == "AEXPR_BETWEEN") return ReadBetween(body, false);
  if (kind == "AEXPR_NOT_BETWEEN") return ReadBetween(body, true);
  const bool distinct = kind == "AEXPR_DISTINCT";
  if (distinct || kind == "AEXPR_NOT_DISTINCT" || kind == "AEXPR_NULLIF") {
    AstPtr node = NewNode(kind == "AEXPR_NULLIF" ? AstKind::kNullIf : AstKind::kIsDistinct, body);
    node->negated = kind == "AEXPR_NOT_DISTINCT";
    const bool left = ReadChild(body, "lexpr", node.get());
    const bool right = ReadChild(body, "rexpr", node.get());
    if (!left || !right) return nullptr;
    return node;
  }
  if (kind == "AEXPR_SIMILAR") return Unsupported(RangeOf(body), "SIMILAR TO", "use LIKE");
  if (kind == "AEXPR_BETWEEN_SYM" || kind == "AEXPR_NOT_BETWEEN_SYM") {
    return Unsupported(RangeOf(body), "BETWEEN SYMMETRIC");
  }
  return Unsupported(RangeOf(body), "ANY or ALL over an array", "use IN (...)");
}

// A chain of operators that leans to the left is read from its innermost one outwards.
AstPtr ParseTreeReader::ReadOperator(const Json& body) {
  std::vector<const Json*> chain = {&body};
  while (const Json* const left = LeftOperator(*chain.back())) {
    if (chain.size() == kExpressionChainMax) {
      return TooLarge(RangeOf(*left), absl::StrCat("more than ", kExpressionChainMax,
                                                   " operators follow each other"));
    }
    chain.push_back(left);
  }
  const Json& first = *chain.back();
  const bool is_sign = !first.contains("lexpr");
  AstPtr left = is_sign ? nullptr : Read(first.at("lexpr"));
  bool is_good = is_sign || left != nullptr;
  for (; !chain.empty(); chain.pop_back()) {
    AstPtr node = NewNode(AstKind::kOperator, *chain.back());
    const std::vector<std::string> names = NamesOf(*chain.back(), "name");
    if (names.size() != 1) return Unsupported(node->range, "OPERATOR(...)");
    node->text = names.front();
    if (left != nullptr) node->children.push_back(std::move(left));
    is_good = ReadChild(*chain.back(), "rexpr", node.get()) && is_good;
    left = std::move(node);
  }
  return is_good ? std::move(left) : nullptr;
}

AstPtr ParseTreeReader::ReadLike(const Json& body, const char* name) {
  AstPtr node = NewNode(AstKind::kLike, body);
  node->text = name;
  const std::vector<std::string> names = NamesOf(body, "name");
  node->negated = !names.empty() && absl::StartsWith(names.front(), "!");
  bool ok = ReadChild(body, "lexpr", node.get());
  // LIKE ... ESCAPE ... wraps its pattern in a call.
  const Json& pattern = body.at("rexpr");
  const auto call = pattern.find("FuncCall");
  const std::vector<std::string> function =
      call == pattern.end() ? std::vector<std::string>{} : NamesOf(*call, "funcname");
  if (!function.empty() && function.back() == "like_escape") {
    ok = ReadChildren(*call, "args", node.get()) && ok;
  } else {
    ok = ReadChild(body, "rexpr", node.get()) && ok;
  }
  if (!ok) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadIn(const Json& body) {
  AstPtr node = NewNode(AstKind::kIn, body);
  const std::vector<std::string> names = NamesOf(body, "name");
  node->negated = !names.empty() && names.front() == "<>";
  const bool left = ReadChild(body, "lexpr", node.get());
  const bool right = ReadChildren(body.at("rexpr").at("List"), "items", node.get());
  if (!left || !right) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadBetween(const Json& body, bool negated) {
  AstPtr node = NewNode(AstKind::kBetween, body);
  node->negated = negated;
  const bool left = ReadChild(body, "lexpr", node.get());
  const bool right = ReadChildren(body.at("rexpr").at("List"), "items", node.get());
  if (!left || !right) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadBool(const Json& body) {
  const std::string op = TextOf(body, "boolop");
  const AstKind kind = op == "AND_EXPR"  ? AstKind::kAnd
                       : op == "OR_EXPR" ? AstKind::kOr
                                         : AstKind::kNot;
  AstPtr node = NewNode(kind, body);
  if (!ReadChildren(body, "args", node.get())) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadNullTest(const Json& body) {
  AstPtr node = NewNode(AstKind::kIsNull, body);
  node->negated = TextOf(body, "nulltesttype") == "IS_NOT_NULL";
  if (!ReadChild(body, "arg", node.get())) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadBooleanTest(const Json& body) {
  AstPtr node = NewNode(AstKind::kIsTrue, body);
  const std::string test = TextOf(body, "booltesttype");
  if (absl::EndsWith(test, "FALSE")) node->kind = AstKind::kIsFalse;
  if (absl::EndsWith(test, "UNKNOWN")) node->kind = AstKind::kIsNull;
  node->negated = absl::StartsWith(test, "IS_NOT_");
  if (!ReadChild(body, "arg", node.get())) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadCase(const Json& body) {
  AstPtr node = NewNode(AstKind::kCase, body);
  node->has_operand = body.contains("arg");
  node->has_else = body.contains("defresult");
  bool ok = !node->has_operand || ReadChild(body, "arg", node.get());
  for (const Json& item : body.at("args")) {
    const Json& when = item.at("CaseWhen");
    ok = ReadChild(when, "expr", node.get()) && ok;
    ok = ReadChild(when, "result", node.get()) && ok;
  }
  if (node->has_else) ok = ReadChild(body, "defresult", node.get()) && ok;
  if (!ok) return nullptr;
  return node;
}

AstPtr ParseTreeReader::ReadCast(const Json& body) {
  AstPtr node = NewNode(AstKind::kCast, body);
  node->text = ReadTypeName(body.at("typeName"), node.get());
  const bool ok = ReadChild(body, "arg", node.get());
  // `date '...'` has no position of its own.
  if (body.value("location", -1) < 0) node->range = node->type_range;
  if (!ok || node->text.empty()) return nullptr;
  return node;
}

std::string ParseTreeReader::ReadTypeName(const Json& type, AstNode* cast) {
  cast->type_range = RangeOf(type);
  std::vector<std::string> names = NamesOf(type, "names");
  std::string name = names.empty() ? "" : absl::AsciiStrToLower(names.back());
  if (type.contains("arrayBounds") || names.size() > 2 || IsSet(type, "setof")) {
    Unsupported(cast->type_range, "this type in a CAST");
    return "";
  }
  if (name == "timestamp" || name == "datetime") {
    const std::string what = name == "timestamp" ? "a CAST to bare `timestamp`" : "`datetime`";
    Unsupported(cast->type_range, what,
                "write `timestamptz` for an instant, which is what a column of type timestamp "
                "holds; `datetime`, a wall clock without a zone, is not available");
    return "";
  }
  std::vector<std::string> arguments;
  if (const auto modifiers = type.find("typmods"); modifiers != type.end()) {
    for (const Json& modifier : *modifiers) {
      const AstPtr value = Read(modifier);
      if (value == nullptr) return "";
      arguments.push_back(value->text);
    }
  }
  if (arguments.empty()) return name;
  return absl::StrCat(name, "(", absl::StrJoin(arguments, ","), ")");
}

AstPtr ParseTreeReader::ReadCall(const Json& body) {
  AstPtr node = NewNode(AstKind::kCall, body);
  std::vector<std::string> names = NamesOf(body, "funcname");
  if (names.size() > 2 || (names.size() == 2 && names.front() != "pg_catalog")) {
    return Unsupported(node->range, "a function of a schema");
  }
  node->text = absl::AsciiStrToLower(names.back());
  node->is_star = IsSet(body, "agg_star");
  node->is_distinct = IsSet(body, "agg_distinct");
  if (body.contains("agg_filter")) return Unsupported(node->range, "FILTER (WHERE ...)");
  if (body.contains("agg_order")) return Unsupported(node->range, "ORDER BY inside a call");
  if (body.contains("over")) return Unsupported(node->range, "OVER (...)");
  if (IsSet(body, "func_variadic")) return Unsupported(node->range, "VARIADIC");
  if (body.contains("args") && !ReadChildren(body, "args", node.get())) return nullptr;
  return node;
}

AstPtr ParseTreeReader::NewNode(AstKind kind, const Json& body) const {
  auto node = std::make_unique<AstNode>();
  node->kind = kind;
  node->range = RangeOf(body);
  return node;
}

bool ParseTreeReader::ReadChild(const Json& body, const char* key, AstNode* parent) {
  AstPtr child = Read(body.at(key));
  if (child == nullptr) return false;
  parent->children.push_back(std::move(child));
  return true;
}

bool ParseTreeReader::ReadChildren(const Json& body, const char* key, AstNode* parent) {
  bool ok = true;
  for (const Json& item : body.at(key)) {
    AstPtr child = Read(item);
    ok = child != nullptr && ok;
    if (child != nullptr) parent->children.push_back(std::move(child));
  }
  return ok;
}

TextRange ParseTreeReader::RangeOf(const Json& body) const {
  const auto location = body.find("location");
  if (location == body.end() || !location->is_number_integer()) return {0, 0};
  const int64_t offset = location->get<int64_t>() - static_cast<int64_t>(kSelectLength);
  if (offset < 0) return {0, 0};
  return TokenAt(text_, static_cast<size_t>(offset));
}

AstPtr ParseTreeReader::TooLarge(TextRange range, std::string message) {
  errors_->push_back({range, config::codes::kExpressionTooLarge, std::move(message), "", {}});
  return nullptr;
}

AstPtr ParseTreeReader::Unsupported(TextRange range, const std::string& what,
                                    const std::string& help) {
  BindError error{range,
                  config::codes::kUnsupportedExpression,
                  absl::StrCat(what, " is not supported in an expression"),
                  "",
                  {}};
  if (!help.empty()) error.help.push_back(help);
  errors_->push_back(std::move(error));
  return nullptr;
}

}  // namespace weir::expr
