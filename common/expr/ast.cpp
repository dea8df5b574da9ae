#include "common/expr/ast.h"

#include <utility>

namespace weir::expr {

// In a loop: a chain of operators is much deeper than the stack allows calls.
AstNode::~AstNode() {
  std::vector<AstPtr> open = std::move(children);
  while (!open.empty()) {
    const AstPtr next = std::move(open.back());
    open.pop_back();
    for (AstPtr& child : next->children) open.push_back(std::move(child));
    next->children.clear();
  }
}

}  // namespace weir::expr
