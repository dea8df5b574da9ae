// TreeBinder: turns AstNodes into BoundExprs over one schema, collecting every error.
#pragma once

#include <string>
#include <vector>

#include "common/expr/ast.h"
#include "common/expr/bind_error.h"
#include "common/expr/binder.h"
#include "common/expr/kernels_arithmetic.h"
#include "common/expr/kernels_compare.h"

namespace weir::expr {

// Methods that return an expression return null after an error, which was added; callers bind all
// operands before they give up, so that errors of all of them are found.
//
// Thread: confined to one thread.
class TreeBinder {
 public:
  // Both must outlive the binder.
  TreeBinder(const BindScope& scope, BindErrors* errors) : scope_(scope), errors_(errors) {}

  BoundExprPtr Bind(const AstNode& node);
  // A condition: bool, or NULL as one.
  BoundExprPtr BindCondition(const AstNode& node);
  // Gives a NULL without a type this one; null stays null.
  static BoundExprPtr GiveType(BoundExprPtr expr, const types::DataType& type);

  // Adds an error and returns null.
  BoundExprPtr Fail(TextRange range, const config::DiagnosticCode& code, std::string message,
                    std::string label = "", std::vector<std::string> help = {});

 private:
  // In order; false: at least one is null.
  bool BindChildren(const AstNode& node, std::vector<BoundExprPtr>* bound);

  BoundExprPtr BindColumn(const AstNode& node);
  BoundExprPtr UnknownColumn(const AstNode& node);
  BoundExprPtr BindNumber(const AstNode& node);

  BoundExprPtr BindOperator(const AstNode& node);
  BoundExprPtr BindBinary(const AstNode& node, BoundExprPtr left, BoundExprPtr right);
  BoundExprPtr BindSign(const AstNode& node, BoundExprPtr operand);
  BoundExprPtr BindArithmetic(const AstNode& node, ArithmeticOp op, BoundExprPtr left,
                              BoundExprPtr right);
  BoundExprPtr BindDateArithmetic(const AstNode& node, ArithmeticOp op, BoundExprPtr left,
                                  BoundExprPtr right);
  BoundExprPtr BindConcat(const AstNode& node, BoundExprPtr left, BoundExprPtr right);
  BoundExprPtr BindCompare(TextRange range, const std::string& name, BoundExprPtr left,
                           BoundExprPtr right);
  BoundExprPtr NoOperator(TextRange range, const std::string& name, const BoundExpr& left,
                          const BoundExpr& right);

  BoundExprPtr BindLogic(const AstNode& node);
  BoundExprPtr BindTest(const AstNode& node);
  BoundExprPtr BindDistinct(const AstNode& node);
  BoundExprPtr BindIn(const AstNode& node);
  BoundExprPtr BindBetween(const AstNode& node);
  BoundExprPtr BindLike(const AstNode& node);

  // A value that is needed several times: `use` stands for it. Computing it twice would double
  // with every level of nesting.
  struct Shared {
    BoundExprPtr value;
    BoundExprPtr use;
    uint32_t slot = 0;
  };
  Shared Share(BoundExprPtr value);
  // `body` with what it needs of `shared`; null if `body` is.
  static BoundExprPtr Unshare(Shared shared, BoundExprPtr body);

  BoundExprPtr BindCase(const AstNode& node);
  BoundExprPtr BindCoalesce(const AstNode& node);
  BoundExprPtr BindNullIf(const AstNode& node);
  // Widens args[first], args[first + step] ... and the last one to a common type.
  bool MakeResultsAlike(const AstNode& node, const char* what, std::vector<BoundExprPtr*> results,
                        types::DataType* type);

  BoundExprPtr BindCast(const AstNode& node);
  bool FindCastType(const AstNode& node, const BoundExpr& arg, types::DataType* type);

  BoundExprPtr BindCall(const AstNode& node);
  BoundExprPtr UnknownFunction(const AstNode& node);

  const BindScope& scope_;
  BindErrors* const errors_;
  uint32_t next_slot_ = 0;
};

}  // namespace weir::expr
