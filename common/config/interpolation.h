// Interpolation: `${NAME}` and `${NAME:-default}` in scalar values; `$${` stands for `${`.
// It runs on parsed nodes, so a value can never change the structure of the file.
#pragma once

#include <functional>
#include <string>

#include <absl/types/optional.h>

#include "common/base/string_view.h"
#include "common/config/document.h"

namespace weir::config {

// The value of a variable, or nothing if it is not set.
using VariableLookup = std::function<absl::optional<std::string>(StringView name)>;

// Most bytes that all substituted values of one document may have.
inline constexpr size_t kSubstitutedBytesMax = size_t{1} << 20;

// Fills in the values (never the keys) of `document`. As in the shell, the default of
// `${NAME:-default}` also replaces an empty value; it ends at the first `}`. Values below top-level
// keys that start with `x-` stay as they are. A variable without value is an error at its place,
// and its text stays.
void Interpolate(const VariableLookup& lookup, Document* document, Diagnostics* diagnostics);

// Looks up the environment of this process.
VariableLookup EnvironmentLookup();

}  // namespace weir::config
