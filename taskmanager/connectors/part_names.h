// Part names: the files a file sink makes in its directory.
//   .part-<subtask>-<n>.<attempt>      being written, or written and not committed
//   part-<subtask>-<n>-c<checkpoint>   committed; the checkpoint whose barrier ended it
// All numbers are decimal without leading zeros, so a name and its numbers determine each other.
#pragma once

#include <cstdint>
#include <string>

#include <absl/types/optional.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"

namespace weir::connectors {

// The file whose flock says which job owns the directory; it holds the job's id.
inline constexpr char kOwnerFileName[] = ".weir-owner";
// The file that says which start of the job took the directory last.
inline constexpr char kStartFileName[] = ".weir-start";

std::string TemporaryPartName(uint32_t subtask, uint64_t number, uint32_t attempt);
std::string FinalPartName(uint32_t subtask, uint64_t number, CheckpointId checkpoint);

bool IsTemporaryPartName(StringView name);
// The checkpoint in a final name; nullopt: not a final name.
absl::optional<CheckpointId> CheckpointOfFinalPart(StringView name);

}  // namespace weir::connectors
