// Kernels of LIKE, ILIKE and regular expressions. Constant patterns are made ready at binding.
#pragma once

#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "common/expr/kernel.h"
#include "common/expr/like_pattern.h"

namespace weir::expr {

// What all LIKE kernels have as `prepared`.
struct LikeOptions {
  std::string escape = "\\";
  LetterCase letter_case = LetterCase::kSensitive;
  // Set for a constant pattern; otherwise it is the second argument.
  absl::optional<LikePattern> pattern;
};

// (text) or (text, pattern).
void LikeKernel(const KernelCall& call, Vector* result);
void NotLikeKernel(const KernelCall& call, Vector* result);

// INVALID_ARGUMENT: no pattern of RE2; its message says why.
absl::StatusOr<std::shared_ptr<const void>> PrepareRegexp(StringView pattern);

// (text), with PrepareRegexp as `prepared`: every match, or of each match its first group, NULL
// where the group took no part. An empty match moves on by one character.
void RegexpExtractAllKernel(const KernelCall& call, Vector* result);

}  // namespace weir::expr
