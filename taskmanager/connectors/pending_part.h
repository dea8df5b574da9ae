// PendingPart: one transaction of a file sink: a file that a barrier ended and that is to be
// committed. Its bytes in a checkpoint: docs/formats/file_sink_state.md.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"
#include "common/fs/file_system.h"

namespace weir::connectors {

// Names of a file sink's list states.
inline constexpr char kPendingPartsList[] = "pending";     // split-even: a PendingPart each
inline constexpr char kPartNumbersList[] = "next_number";  // union: each subtask's next number

struct PendingPart {
  uint32_t subtask = 0;
  uint64_t number = 0;
  uint32_t attempt = 0;
  CheckpointId checkpoint = kNoCheckpoint;  // whose barrier ended it
  uint64_t bytes = 0;

  bool operator==(const PendingPart&) const = default;
  std::string TemporaryName() const;
  std::string FinalName() const;
};

std::string EncodePendingPart(const PendingPart& part);
// DATA_LOSS: not an encoded part.
absl::StatusOr<PendingPart> DecodePendingPart(StringView bytes);

std::string EncodePartNumber(uint64_t number);
// DATA_LOSS: not an encoded number.
absl::StatusOr<uint64_t> DecodePartNumber(StringView bytes);

// Gives the part its final name, unless that was done before; the name is durable after SyncDir().
// Repeating it is harmless, also while another attempt does the same.
// DATA_LOSS: neither name is there, or the file has another size.
absl::Status CommitPart(fs::FileSystem& files, const std::string& directory,
                        const PendingPart& part);

}  // namespace weir::connectors
