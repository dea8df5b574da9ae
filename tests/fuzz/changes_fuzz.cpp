// Any bytes whatever as the payload of a record of the coordination log: what is read adds up to a
// state whose own changes are written and read again the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/coordination/file/coordination_state.h"

namespace weir::coordination {
namespace {

CoordinationState StateOf(const std::vector<Change>& changes) {
  CoordinationState state;
  for (const Change& change : changes) state.Apply(change);
  return state;
}

void DecodeAnything(StringView payload) {
  const auto read = DecodeChanges(payload);
  if (!read.ok()) return;
  const auto same = DecodeChanges(EncodeChanges(*read));
  WEIR_CHECK(same.ok());
  WEIR_CHECK(EncodeChanges(*same) == EncodeChanges(*read));
  const std::string all = EncodeChanges(StateOf(*read).All());
  const auto again = DecodeChanges(all);
  WEIR_CHECK(again.ok());
  WEIR_CHECK(EncodeChanges(StateOf(*again).All()) == all);
}

}  // namespace
}  // namespace weir::coordination

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // In an allocation of its own, so that a sanitizer sees what is read behind it.
  const std::vector<char> payload(data, data + size);
  weir::coordination::DecodeAnything(weir::StringView(payload.data(), payload.size()));
  return 0;
}
