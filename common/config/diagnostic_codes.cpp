#include "common/config/diagnostic_codes.h"

#include <algorithm>

namespace weir::config {

namespace {

#define WEIR_LIST_CODE(constant, id, explanation, help) codes::constant,

constexpr DiagnosticCode kAllCodes[] = {WEIR_DIAGNOSTIC_CODES(WEIR_LIST_CODE)};

#undef WEIR_LIST_CODE

}  // namespace

absl::Span<const DiagnosticCode> AllDiagnosticCodes() {
  return kAllCodes;
}

const DiagnosticCode* FindDiagnosticCode(StringView id) {
  const auto* const found =
      std::find_if(std::begin(kAllCodes), std::end(kAllCodes),
                   [id](const DiagnosticCode& code) { return id == StringView(code.id); });
  return found == std::end(kAllCodes) ? nullptr : found;
}

}  // namespace weir::config
