// Option kinds: what a value of an option may look like, one struct per kind, filled in with
// designated initialisers: `DurationOption{.min = absl::Milliseconds(10)}`.
//
// A kind has Read(node, value, diagnostics), which adds an error and returns false for a bad value
// and leaves *value alone then; TypeText() for the reference; Format(value) to show a default.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <absl/time/time.h>

#include "common/base/string_view.h"
#include "common/config/diagnostic.h"
#include "common/config/node.h"
#include "common/config/values.h"

namespace weir::config {

// Words that stand for a special value of a quantity: {{"unlimited", -1}}.
template <class T>
using OptionWords = std::vector<std::pair<std::string, T>>;

// Any scalar but null; numbers and booleans keep their text.
struct TextOption {
  bool may_be_empty = false;
  std::string type_text = "text";

  bool Read(const Node& node, std::string* value, Diagnostics* diagnostics) const;
  std::string TypeText() const { return type_text; }
  std::string Format(const std::string& value) const { return value; }
};

struct BoolOption {
  bool Read(const Node& node, bool* value, Diagnostics* diagnostics) const;
  std::string TypeText() const { return "true or false"; }
  std::string Format(bool value) const { return value ? "true" : "false"; }
};

// For members of any integer type; its own range applies as well.
struct IntegerOption {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  OptionWords<int64_t> words = {};

  template <std::integral T>
  bool Read(const Node& node, T* value, Diagnostics* diagnostics) const {
    using Limits = std::numeric_limits<T>;
    IntegerOption narrowed = *this;
    if (std::cmp_less(narrowed.min, Limits::min())) narrowed.min = Limits::min();
    if (std::cmp_greater(narrowed.max, Limits::max())) {
      narrowed.max = static_cast<int64_t>(Limits::max());
    }
    int64_t wide = 0;
    if (!narrowed.ReadWide(node, &wide, diagnostics)) return false;
    *value = static_cast<T>(wide);
    return true;
  }
  std::string TypeText() const;
  template <std::integral T>
  std::string Format(T value) const {
    return FormatWide(static_cast<int64_t>(value));
  }

 private:
  bool ReadWide(const Node& node, int64_t* value, Diagnostics* diagnostics) const;
  std::string FormatWide(int64_t value) const;
};

struct DoubleOption {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();

  bool Read(const Node& node, double* value, Diagnostics* diagnostics) const;
  std::string TypeText() const;
  std::string Format(double value) const { return DoubleText(value); }
};

struct DurationOption {
  absl::Duration min = absl::ZeroDuration();
  absl::Duration max = kDurationMax;
  OptionWords<absl::Duration> words = {};

  bool Read(const Node& node, absl::Duration* value, Diagnostics* diagnostics) const;
  std::string TypeText() const;
  std::string Format(absl::Duration value) const;
};

struct ByteSizeOption {
  int64_t min = 0;
  int64_t max = std::numeric_limits<int64_t>::max();
  OptionWords<int64_t> words = {};

  bool Read(const Node& node, int64_t* value, Diagnostics* diagnostics) const;
  std::string TypeText() const;
  std::string Format(int64_t value) const;
};

// Events per second; infinity (the default of most) shows as no default.
struct RateOption {
  bool Read(const Node& node, double* value, Diagnostics* diagnostics) const;
  std::string TypeText() const { return "rate"; }
  std::string Format(double value) const;
};

// [a-z][a-z0-9_-]{0,62}
struct IdOption {
  bool Read(const Node& node, std::string* value, Diagnostics* diagnostics) const;
  std::string TypeText() const { return "id"; }
  std::string Format(const std::string& value) const { return value; }
};

// One of a list of words, without the type of what they stand for.
struct WordOption {
  std::vector<std::string> words;

  bool ReadIndex(const Node& node, size_t* index, Diagnostics* diagnostics) const;
  std::string TypeText() const;
};

// EnumOption<Mode>({{"exactly_once", Mode::kExactlyOnce}, {"at_least_once", Mode::kAtLeastOnce}})
// `-` and `_` count as the same, as in keys.
template <class E>
class EnumOption {
 public:
  EnumOption(std::initializer_list<std::pair<const char*, E>> choices) {
    for (const auto& [word, value] : choices) {
      words_.words.emplace_back(word);
      values_.push_back(value);
    }
  }

  bool Read(const Node& node, E* value, Diagnostics* diagnostics) const {
    size_t index = 0;
    if (!words_.ReadIndex(node, &index, diagnostics)) return false;
    *value = values_[index];
    return true;
  }
  std::string TypeText() const { return words_.TypeText(); }
  std::string Format(const E& value) const {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == value) return words_.words[i];
    }
    return "";
  }

 private:
  WordOption words_;
  std::vector<E> values_;
};

// The node itself, for what another room parses: expressions, windows with several shapes.
struct NodeOption {
  enum class Shape : uint8_t { kAny, kScalar, kMap, kSequence };
  Shape shape = Shape::kAny;
  std::string type_text = "any";

  bool Read(const Node& node, const Node** value, Diagnostics* diagnostics) const;
  std::string TypeText() const { return type_text; }
  std::string Format(const Node* value) const { return ""; }
};

// A parser of the table's own.
template <class T>
struct CustomOption {
  std::string type_text;
  std::function<bool(const Node& node, T* value, Diagnostics* diagnostics)> read;
  std::function<std::string(const T& value)> format = {};

  bool Read(const Node& node, T* value, Diagnostics* diagnostics) const {
    return read(node, value, diagnostics);
  }
  std::string TypeText() const { return type_text; }
  std::string Format(const T& value) const { return format ? format(value) : std::string(); }
};

// For custom parsers: whether `node` has the shape; adds the error otherwise. `wanted` reads like
// "a map of column names to types".
bool ExpectScalar(const Node& node, StringView wanted, Diagnostics* diagnostics);
bool ExpectMap(const Node& node, StringView wanted, Diagnostics* diagnostics);
bool ExpectSequence(const Node& node, StringView wanted, Diagnostics* diagnostics);
// Checks the key of an entry (a step, a schema, a column) as an id.
bool ExpectId(const Node& key, Diagnostics* diagnostics);

}  // namespace weir::config
