// Parsing: the text of one expression becomes a tree of AstNodes.
//
// PostgreSQL's own grammar (libpg_query) reads the text as the one target of a SELECT; whatever
// else a SELECT may have is refused.
// Thread: any; a text of the greatest length needs up to 5 MiB of stack inside libpg_query, which
// the usual 8 MiB of a thread hold.
#pragma once

#include "common/base/string_view.h"
#include "common/expr/ast.h"
#include "common/expr/bind_error.h"

namespace weir::expr {

// Null: `errors` got at least one more.
AstPtr ParseExpression(StringView text, BindErrors* errors);

}  // namespace weir::expr
