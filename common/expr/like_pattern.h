// LikePattern: a LIKE pattern made ready to match.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/base/string_view.h"

namespace weir::expr {

enum class LetterCase : uint8_t { kSensitive, kInsensitive };

// Immutable.
class LikePattern {
 public:
  // `escape`: one character, or empty for none. nullopt: the pattern ends with the escape.
  // Without regard to case, ASCII letters are meant, as everywhere in expressions.
  static absl::optional<LikePattern> Compile(StringView pattern, StringView escape,
                                             LetterCase letter_case);

  bool Matches(StringView text) const;

 private:
  // Most patterns are no more than a text with % at the ends.
  enum class Shape : uint8_t { kExact, kPrefix, kSuffix, kContains, kGeneral };
  enum class Kind : uint8_t { kByte, kAnyCharacter, kAnyRun };
  struct Element {
    Kind kind = Kind::kByte;
    char byte = '\0';
  };

  void FindShape();
  bool MatchesGeneral(StringView text) const;
  bool ByteMatches(char pattern, char text) const;

  std::vector<Element> elements_;
  std::string literal_;  // of all shapes but kGeneral
  Shape shape_ = Shape::kGeneral;
  bool ignores_case_ = false;
};

}  // namespace weir::expr
