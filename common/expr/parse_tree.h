// ParseTreeReader: turns libpg_query's JSON for one expression into AstNodes.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "common/base/string_view.h"
#include "common/expr/ast.h"
#include "common/expr/bind_error.h"

namespace weir::expr {

// "SELECT " stands before the expression, so positions are greater by this.
inline constexpr size_t kSelectLength = 7;

// Thread:    confined to one thread.
// Invariant: depth_ <= kExpressionDepthMax while a node is read.
class ParseTreeReader {
 public:
  using Json = nlohmann::json;

  // `text` is the expression; both must outlive the reader.
  ParseTreeReader(StringView text, BindErrors* errors) : text_(text), errors_(errors) {}

  // Null: an error was added. `node` is the value of a ResTarget's "val".
  AstPtr Read(const Json& node);

 private:
  AstPtr ReadInner(const std::string& type, const Json& body);
  AstPtr ReadConstant(const Json& body);
  AstPtr ReadColumn(const Json& body);
  AstPtr ReadAExpr(const Json& body);
  AstPtr ReadOperator(const Json& body);
  AstPtr ReadLike(const Json& body, const char* name);
  AstPtr ReadIn(const Json& body);
  AstPtr ReadBetween(const Json& body, bool negated);
  AstPtr ReadBool(const Json& body);
  AstPtr ReadNullTest(const Json& body);
  AstPtr ReadBooleanTest(const Json& body);
  AstPtr ReadCase(const Json& body);
  AstPtr ReadCast(const Json& body);
  AstPtr ReadCall(const Json& body);

  AstPtr NewNode(AstKind kind, const Json& body) const;
  // Reads body[key] as one child, or as a list of them. False: an error was added.
  bool ReadChild(const Json& body, const char* key, AstNode* parent);
  bool ReadChildren(const Json& body, const char* key, AstNode* parent);
  // The type a cast names, as ParseDataType reads it; "" after an error.
  std::string ReadTypeName(const Json& type, AstNode* cast);
  // The value of an integer constant that the JSON leaves out because it is not positive.
  std::string NonPositiveInteger(size_t offset) const;

  TextRange RangeOf(const Json& body) const;
  // Each adds an error and returns null.
  AstPtr TooLarge(TextRange range, std::string message);
  AstPtr Unsupported(TextRange range, const std::string& what, const std::string& help = "");

  const StringView text_;
  BindErrors* const errors_;
  int depth_ = 0;
};

}  // namespace weir::expr
