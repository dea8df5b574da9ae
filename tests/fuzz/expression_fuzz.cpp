// Any bytes whatever as an expression, a predicate or an aggregate: it is bound or refused with
// diagnostics inside the text, and a row's value does not depend on the rows beside it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/expr/binder.h"
#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

const std::vector<types::BatchPtr>& Rows() {
  static const std::vector<types::BatchPtr> rows = {
      MakeBatch({"||||||||||"}),
      MakeBatch({"true|7|-3|0.5|Abc é|2026-02-28T23:59:59.999999Z|2026-02-28|12.34|-0.5|1|0"}),
      MakeBatch({"false|-2147483648|9223372036854775807|-1e300|''|0001-01-01T00:00:00Z|9999-12-31|"
                 "-9999999999.99|9999999999999999999999999999|0|5"})};
  return rows;
}

types::BatchPtr AllRows() {
  types::BatchBuilder builder(TestSchema());
  for (const types::BatchPtr& row : Rows()) builder.Gather(*row, row->rows());
  return builder.Finish();
}

void CheckErrors(StringView text, const BindErrors& errors) {
  WEIR_CHECK(!errors.empty());
  for (const BindError& error : errors) {
    WEIR_CHECK(error.range.offset <= text.size());
    WEIR_CHECK(error.range.length <= text.size() - error.range.offset);
  }
}

// Values apart from errors, whose text only the first row has.
std::string WithoutMessage(const std::string& value) {
  return value.substr(0, 5) == "error" ? "error" : value;
}

void BindAndEvaluate(StringView text) {
  const BindScope scope{*TestSchema(), "events"};
  BindErrors errors;
  const BoundExprPtr bound = BindExpression(text, scope, &errors);
  BindErrors predicate_errors;
  const BoundExprPtr predicate = BindPredicate(text, scope, &predicate_errors);
  if (predicate == nullptr) CheckErrors(text, predicate_errors);
  if (bound == nullptr) return CheckErrors(text, errors);
  WEIR_CHECK(errors.empty());
  static const types::BatchPtr all = AllRows();
  const std::vector<std::string> together = EvalRows(text, all);
  for (size_t i = 0; i < Rows().size(); ++i) {
    const std::string alone = EvalRows(text, Rows()[i]).front();
    WEIR_CHECK(WithoutMessage(alone) == WithoutMessage(together[i]));
  }
}

void BindAggregateOf(StringView text) {
  BindErrors errors;
  const auto bound = BindAggregate(text, {*TestSchema(), ""}, &errors);
  if (!bound.has_value()) CheckErrors(text, errors);
}

}  // namespace
}  // namespace weir::expr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const weir::StringView text(reinterpret_cast<const char*>(data), size);
  weir::expr::BindAndEvaluate(text);
  weir::expr::BindAggregateOf(text);
  return 0;
}
