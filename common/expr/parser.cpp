#include "common/expr/parser.h"

#include <algorithm>
#include <pg_query.h>
#include <string>
#include <utility>
#include <vector>

#include <absl/cleanup/cleanup.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <nlohmann/json.hpp>

#include "common/config/utf8.h"
#include "common/expr/binder.h"
#include "common/expr/parse_tree.h"
#include "common/expr/tokens.h"

namespace weir::expr {
namespace {

using Json = nlohmann::json;

void AddError(BindErrors* errors, TextRange range, const config::DiagnosticCode& code,
              std::string message, std::vector<std::string> help = {}) {
  errors->push_back({range, code, std::move(message), "", std::move(help)});
}

// Byte offset of the character (code point) with this number.
size_t ByteOffset(StringView text, size_t characters) {
  size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    const bool starts = (static_cast<unsigned char>(text[offset]) & 0xC0) != 0x80;
    if (starts && characters-- == 0) break;
  }
  return offset;
}

bool CheckText(StringView text, BindErrors* errors) {
  if (text.size() > kExpressionBytesMax) {
    AddError(errors, {0, 1}, config::codes::kExpressionTooLarge,
             absl::StrCat("the expression has ", text.size(), " bytes; at most ",
                          kExpressionBytesMax, " are allowed"));
    return false;
  }
  const size_t zero = text.find('\0');
  const size_t invalid = std::min(zero, config::FindInvalidUtf8(text));
  if (invalid != StringView::npos) {
    AddError(errors, {static_cast<uint32_t>(invalid), 1}, config::codes::kExpressionSyntax,
             "the expression is not UTF-8 text");
    return false;
  }
  if (absl::StripAsciiWhitespace(text).empty()) {
    AddError(errors, {0, 0}, config::codes::kExpressionSyntax, "the expression is empty");
    return false;
  }
  return true;
}

void AddSyntaxError(StringView text, const PgQueryError& error, BindErrors* errors) {
  const size_t position = error.cursorpos > 0 ? static_cast<size_t>(error.cursorpos) - 1 : 0;
  const size_t characters = position < kSelectLength ? 0 : position - kSelectLength;
  const TextRange range = TokenAt(text, ByteOffset(text, characters));
  const StringView message = error.message == nullptr ? "syntax error" : error.message;
  if (absl::StartsWith(message, "memory exhausted") || absl::StartsWith(message, "stack depth")) {
    AddError(errors, range, config::codes::kExpressionTooLarge,
             "the expression is nested too deeply");
    return;
  }
  std::vector<std::string> help;
  if (absl::EndsWith(message, "at end of input") &&
      absl::StrContains(absl::AsciiStrToLower(text), "case ")) {
    help.emplace_back("a CASE ends in END: CASE WHEN condition THEN x ELSE y END");
  }
  AddError(errors, range, config::codes::kExpressionSyntax, std::string(message), std::move(help));
}

// The one target of the one SELECT that `tree` is; null after an error.
const Json* FindTarget(const Json& tree, StringView text, BindErrors* errors) {
  const auto refuse = [&](size_t offset, const char* what) {
    AddError(errors, TokenAt(text, offset), config::codes::kUnsupportedExpression,
             absl::StrCat("an expression is expected here, without ", what));
    return nullptr;
  };
  const Json& statements = tree.at("stmts");
  if (statements.size() != 1) return refuse(0, "further statements behind `;`");
  const Json& select = statements[0].at("stmt").at("SelectStmt");
  static constexpr std::pair<const char*, const char*> kClauses[] = {
      {"distinctClause", "DISTINCT"}, {"intoClause", "INTO"},      {"fromClause", "FROM"},
      {"whereClause", "WHERE"},       {"groupClause", "GROUP BY"}, {"havingClause", "HAVING"},
      {"windowClause", "WINDOW"},     {"valuesLists", "VALUES"},   {"sortClause", "ORDER BY"},
      {"limitOffset", "OFFSET"},      {"limitCount", "LIMIT"},     {"lockingClause", "FOR UPDATE"},
      {"withClause", "WITH"}};
  if (select.value("op", "SETOP_NONE") != "SETOP_NONE") {
    return refuse(0, "UNION, INTERSECT or EXCEPT");
  }
  for (const auto& [key, what] : kClauses) {
    if (select.contains(key)) return refuse(0, what);
  }
  if (statements[0].contains("stmt_len")) {
    return refuse(statements[0].at("stmt_len").get<size_t>() - kSelectLength, "`;`");
  }
  if (!select.contains("targetList")) {
    AddError(errors, {0, 0}, config::codes::kExpressionSyntax, "the expression is empty");
    return nullptr;
  }
  const Json& targets = select.at("targetList");
  if (targets.size() != 1) return refuse(0, "a `,`: one expression, not a list");
  const Json& target = targets[0].at("ResTarget");
  if (target.contains("name") || target.contains("indirection")) return refuse(0, "an alias");
  const size_t start = SkipBlanks(text, 0);
  if (target.value("location", size_t{0}) != start + kSelectLength) return refuse(start, "ALL");
  return &target.at("val");
}

AstPtr ReadTree(StringView text, StringView json, BindErrors* errors) {
  // The library reports misuse by exceptions; none may leave this room. It reads and destroys the
  // deepest tree in loops.
  try {
    const Json tree = Json::parse(json.begin(), json.end());
    const Json* target = FindTarget(tree, text, errors);
    if (target == nullptr) return nullptr;
    return ParseTreeReader(text, errors).Read(*target);
  } catch (const Json::exception&) {
    AddError(errors, {0, 1}, config::codes::kUnsupportedExpression,
             "this form of expression is not supported");
    return nullptr;
  }
}

}  // namespace

AstPtr ParseExpression(StringView text, BindErrors* errors) {
  if (!CheckText(text, errors)) return nullptr;
  const std::string query = absl::StrCat("SELECT ", text);
  const PgQueryParseResult result = pg_query_parse(query.c_str());
  const auto free_result = absl::MakeCleanup([&result] { pg_query_free_parse_result(result); });
  if (result.error != nullptr) {
    AddSyntaxError(text, *result.error, errors);
    return nullptr;
  }
  return ReadTree(text, result.parse_tree, errors);
}

}  // namespace weir::expr
