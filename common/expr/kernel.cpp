#include "common/expr/kernel.h"

namespace weir::expr {

void KernelCall::SetStrictValidity(Vector* result) const {
  const Vector* only = nullptr;
  size_t nullable_args = 0;
  for (const Vector& arg : args) {
    if (arg.validity == nullptr) continue;
    if (arg.is_constant && arg.validity[0] != 0) continue;
    ++nullable_args;
    only = &arg;
  }
  result->own_validity = nullptr;
  result->validity = nullptr;
  if (nullable_args == 0) return;
  if (nullable_args == 1 && !only->is_constant) {
    result->validity = only->validity;
    return;
  }
  uint8_t* validity = WritableValidity(result);
  for (const Vector& arg : args) {
    if (arg.validity == nullptr) continue;
    if (arg.is_constant) {
      if (arg.validity[0] == 0) std::memset(validity, 0, size());
      continue;
    }
    for (size_t i = 0; i < size(); ++i) validity[i] &= arg.validity[i];
  }
}

uint8_t* KernelCall::WritableValidity(Vector* result) const {
  if (result->own_validity != nullptr) return result->own_validity;
  uint8_t* validity = arena.NewArray<uint8_t>(size());
  if (result->validity == nullptr) {
    std::memset(validity, 1, size());
  } else {
    std::memcpy(validity, result->validity, size());
  }
  result->own_validity = validity;
  result->validity = validity;
  return validity;
}

void KernelCall::FailRows(const uint8_t* bad, std::initializer_list<const char*> messages,
                          Vector* result) const {
  for (size_t i = 0; i < size(); ++i) {
    if (bad[i] == 0 || result->IsNull(i)) continue;
    Fail(i, result, [&] { return StringView(messages.begin()[bad[i] - 1]); });
  }
}

char* KernelCall::NewString(size_t row, size_t bytes, Vector* result) const {
  if (bytes > types::kRowBytesMax) {
    Fail(row, result, [] { return StringView("string longer than 16 MiB"); });
    return nullptr;
  }
  if (arena.bytes() + bytes > kEvaluationBytesMax) {
    Fail(row, result, [] { return StringView("strings of one batch longer than 1 GiB"); });
    return nullptr;
  }
  return arena.NewArray<char>(bytes);
}

}  // namespace weir::expr
