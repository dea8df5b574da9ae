// FaultPlan: numbers the operations of a file system and says which of them fails, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <absl/status/status.h>

#include "common/base/string_view.h"

namespace weir::testing {

enum class Fault : uint8_t {
  kFullDisk,    // the operation fails and changes nothing
  kIoError,     // the same with DATA_LOSS
  kShortWrite,  // the next append writes half, then the disk is full
  kFlippedBit,  // the next append reports success with one bit flipped
  kPowerCut,    // this operation and all later ones fail until the file system is restarted
};

// Life: sites count from 1 since the last Reset().
class FaultPlan {
 public:
  // The operation with number `site` meets `fault`. Replaces a plan made before.
  void FailAt(uint64_t site, Fault fault);
  // Every later operation succeeds; numbering starts anew.
  void Reset();

  // Numbers one operation. OK: it goes on.
  absl::Status OnOperation(StringView doing, const std::string& path);
  // Numbers one append. Nullopt: as planned it succeeds; else kShortWrite, kFlippedBit, or the
  // fault whose error Error() gives.
  std::optional<Fault> OnAppend(const std::string& path);
  absl::Status Error(Fault fault, StringView doing, const std::string& path) const;

  uint64_t operation_count() const { return operation_count_; }
  bool has_fired() const { return has_fired_; }
  // What failed, for example "rename /a to /b (site 12)".
  const std::string& fired_at() const { return fired_at_; }

 private:
  bool IsDue(StringView doing, const std::string& path);

  uint64_t site_ = 0;  // 0: nothing is planned
  Fault fault_ = Fault::kIoError;
  uint64_t operation_count_ = 0;
  bool has_fired_ = false;
  bool power_is_cut_ = false;
  std::string fired_at_;
};

}  // namespace weir::testing
