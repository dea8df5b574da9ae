#include "common/expr/kernels_logic.h"

namespace weir::expr {
namespace {

// 1 where the argument's nullness is `wanted`.
void TestNull(const KernelCall& call, Vector* result, bool wanted) {
  uint8_t* out = call.NewValues<uint8_t>(result);
  const Vector& arg = call.args[0];
  for (size_t i = 0; i < call.size(); ++i) out[i] = arg.IsNull(i) == wanted ? 1 : 0;
}

// 1 where the argument is `wanted` and not null, or the opposite of that if `negated`.
void TestTruth(const KernelCall& call, Vector* result, bool wanted, bool negated) {
  uint8_t* out = call.NewValues<uint8_t>(result);
  const Vector& arg = call.args[0];
  for (size_t i = 0; i < call.size(); ++i) {
    const bool holds = !arg.IsNull(i) && (arg.At<uint8_t>(i) != 0) == wanted;
    out[i] = holds != negated ? 1 : 0;
  }
}

}  // namespace

void NotKernel(const KernelCall& call, Vector* result) {
  MapStrict<uint8_t, uint8_t>(call, result,
                              [](uint8_t a) { return static_cast<uint8_t>(a == 0 ? 1 : 0); });
}

void IsNullKernel(const KernelCall& call, Vector* result) {
  TestNull(call, result, true);
}
void IsNotNullKernel(const KernelCall& call, Vector* result) {
  TestNull(call, result, false);
}
void IsTrueKernel(const KernelCall& call, Vector* result) {
  TestTruth(call, result, true, false);
}
void IsNotTrueKernel(const KernelCall& call, Vector* result) {
  TestTruth(call, result, true, true);
}
void IsFalseKernel(const KernelCall& call, Vector* result) {
  TestTruth(call, result, false, false);
}
void IsNotFalseKernel(const KernelCall& call, Vector* result) {
  TestTruth(call, result, false, true);
}

}  // namespace weir::expr
