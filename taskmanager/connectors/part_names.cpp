#include "taskmanager/connectors/part_names.h"

#include <charconv>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

namespace weir::connectors {
namespace {

// Takes a number off the front of `text`, as it is written in names.
template <class T>
bool TakeNumber(StringView* text, T* number) {
  const char* begin = text->data();
  const auto [stop, error] = std::from_chars(begin, begin + text->size(), *number);
  const size_t digits = static_cast<size_t>(stop - begin);
  if (error != std::errc() || digits == 0 || *begin == '-') return false;
  if (*begin == '0' && digits > 1) return false;
  text->remove_prefix(digits);
  return true;
}

}  // namespace

std::string TemporaryPartName(uint32_t subtask, uint64_t number, uint32_t attempt) {
  return absl::StrCat(".part-", subtask, "-", number, ".", attempt);
}

std::string FinalPartName(uint32_t subtask, uint64_t number, CheckpointId checkpoint) {
  return absl::StrCat("part-", subtask, "-", number, "-c", ToInt(checkpoint));
}

bool IsTemporaryPartName(StringView name) {
  uint32_t subtask = 0;
  uint64_t number = 0;
  uint32_t attempt = 0;
  return absl::ConsumePrefix(&name, ".part-") && TakeNumber(&name, &subtask) &&
         absl::ConsumePrefix(&name, "-") && TakeNumber(&name, &number) &&
         absl::ConsumePrefix(&name, ".") && TakeNumber(&name, &attempt) && name.empty();
}

absl::optional<CheckpointId> CheckpointOfFinalPart(StringView name) {
  uint32_t subtask = 0;
  uint64_t number = 0;
  int64_t checkpoint = 0;
  if (absl::ConsumePrefix(&name, "part-") && TakeNumber(&name, &subtask) &&
      absl::ConsumePrefix(&name, "-") && TakeNumber(&name, &number) &&
      absl::ConsumePrefix(&name, "-c") && TakeNumber(&name, &checkpoint) && name.empty()) {
    return CheckpointId{checkpoint};
  }
  return absl::nullopt;
}

}  // namespace weir::connectors
