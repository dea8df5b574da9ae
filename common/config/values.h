// Values: text of one scalar to a typed value, and back for help texts. All strict: what a reader
// could misunderstand is refused with words that say how to write it.
// Each parser returns INVALID_ARGUMENT for text of another form and OUT_OF_RANGE for too large
// values; the message completes "bad <type> '<text>': ".
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/string_view.h"

namespace weir::config {

// Longest duration: durations are kept as microseconds, and 100 years are for ever.
inline constexpr absl::Duration kDurationMax = absl::Hours(24 * 36'500);
inline constexpr size_t kIdBytesMax = 63;

// true | false
absl::StatusOr<bool> ParseBool(StringView text);
// -12, +7, 0x1f, 0o17; 012 is twelve.
absl::StatusOr<int64_t> ParseInt(StringView text);
// 1, -2.5, 1e-3; neither inf nor nan.
absl::StatusOr<double> ParseDouble(StringView text);
// 500ms, 10s, 5m (also 5min), 2h, 7d; 0s.
absl::StatusOr<absl::Duration> ParseDuration(StringView text);
// 100b, 64kb, 512mb, 4gb, 1tb: powers of 1024.
absl::StatusOr<int64_t> ParseByteSize(StringView text);
// 2000/s, 0.5/s, 100/m, 10/h, as events per second; more than 0.
absl::StatusOr<double> ParseRate(StringView text);
// [a-z][a-z0-9_-]{0,62}
absl::Status CheckId(StringView text);

std::string DoubleText(double value);
std::string DurationText(absl::Duration value);
std::string ByteSizeText(int64_t value);
std::string RateText(double per_second);

}  // namespace weir::config
