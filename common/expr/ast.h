// AstNode: an expression as written, names not yet looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/expr/text_range.h"

namespace weir::expr {

// What `text` and `children` hold is given behind each kind.
enum class AstKind : uint8_t {
  kColumn,  // text: name, qualifier: what stood before the point
  kNumber,  // text: digits, perhaps with sign, point and exponent
  kString,  // text: the contents
  kBool,    // text: "true" or "false"
  kNull,
  kOperator,  // text: "+", "=", "||" ...; one child (sign) or two
  kAnd,       // two or more children
  kOr,
  kNot,
  kIsNull,  // negated: IS NOT NULL
  kIsTrue,  // negated: IS NOT TRUE; kIsFalse and kIsNull (IS UNKNOWN) alike
  kIsFalse,
  kIsDistinct,  // negated: IS NOT DISTINCT FROM
  kIn,          // value, then the list
  kBetween,     // value, low, high
  kLike,        // value, pattern and perhaps the escape; text: "LIKE" or "ILIKE"
  kNullIf,
  kCase,  // operand if has_operand, (condition, result)..., else if has_else
  kCoalesce,
  kCast,  // text: the type
  kCall,  // text: the function's name in lower case
};

struct AstNode;
using AstPtr = std::unique_ptr<AstNode>;

// Life: one tree per text, owned by its root.
struct AstNode {
  AstNode() = default;
  ~AstNode();
  AstNode(const AstNode&) = delete;
  AstNode& operator=(const AstNode&) = delete;

  AstKind kind = AstKind::kNull;
  TextRange range;  // the name, literal or operator itself
  std::string text;
  std::string qualifier;
  TextRange type_range;  // kCast
  bool negated = false;
  bool has_operand = false;
  bool has_else = false;
  bool is_star = false;      // kCall: f(*)
  bool is_distinct = false;  // kCall: f(distinct x)
  std::vector<AstPtr> children;
};

}  // namespace weir::expr
