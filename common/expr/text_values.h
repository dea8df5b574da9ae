// Text of bool, integers and doubles as PostgreSQL reads and prints it. (Dates, timestamps and
// decimals: common/types.)
#pragma once

#include <cstdint>
#include <string>

#include <absl/types/optional.h>

#include "common/base/string_view.h"

namespace weir::expr {

enum class ParseOutcome : uint8_t { kOk = 0, kBadSyntax = 1, kOutOfRange = 2 };

// Blanks around the text are ignored by all. `out` is set even on failure.
// true/false, yes/no, on/off and what begins them uniquely, 1/0; case does not count.
ParseOutcome ParseBool(StringView text, uint8_t* out);
ParseOutcome ParseInt32(StringView text, int32_t* out);
ParseOutcome ParseInt64(StringView text, int64_t* out);
// Also infinity, inf and nan.
ParseOutcome ParseDouble(StringView text, double* out);

// The shortest text that reads back as the same value: "0.1", "1e+20", "-0", "Infinity", "NaN".
void AppendDouble(double value, std::string* out);

}  // namespace weir::expr
