#include "common/expr/bound_expr.h"

namespace weir::expr {

// A tree may be much deeper than the stack allows calls, so that the outermost destructor of a
// thread takes apart what the inner ones give it.
BoundExpr::~BoundExpr() {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): no one else can name it
  thread_local std::vector<BoundExprPtr>* given = nullptr;
  if (given != nullptr) {
    for (BoundExprPtr& arg : parts_.args) given->push_back(std::move(arg));
    return;
  }
  std::vector<BoundExprPtr> open = std::move(parts_.args);
  given = &open;
  while (!open.empty()) {
    const BoundExprPtr next = std::move(open.back());
    open.pop_back();
  }
  given = nullptr;
}

}  // namespace weir::expr
