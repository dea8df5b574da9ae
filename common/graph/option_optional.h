// OptionalOption: an option kind for members of type absl::optional, which stay empty while the key
// is missing or null.
#pragma once

#include <string>
#include <utility>

#include <absl/types/optional.h>

#include "common/config/option_table.h"

namespace weir::graph {

template <class Kind>
struct OptionalOption {
  Kind kind;

  template <class T>
  bool Read(const config::Node& node, absl::optional<T>* value,
            config::Diagnostics* diagnostics) const {
    if (node.IsNull()) {
      value->reset();
      return true;
    }
    T parsed{};
    if (!config::ReadMember(kind, node, &parsed, diagnostics)) return false;
    *value = std::move(parsed);
    return true;
  }
  std::string TypeText() const { return kind.TypeText(); }
  template <class T>
  std::string Format(const absl::optional<T>& value) const {
    return value.has_value() ? config::FormatMember(kind, *value) : std::string();
  }
};
template <class Kind>
OptionalOption(Kind) -> OptionalOption<Kind>;

}  // namespace weir::graph
