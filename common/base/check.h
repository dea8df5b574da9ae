// WEIR_CHECK and WEIR_DCHECK: claims that only a bug in Weir can break.
// What the world can break (bytes, peers, disks, users) returns a Status instead.
#pragma once

namespace weir::base {
// Logs the failed claim with its place and ends the process.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace weir::base

// Always on: for cheap invariants. One condition each, without side effects. Neither has braces,
// which would count as nesting where they are used.
#define WEIR_CHECK(condition)                                    \
  do                                                             \
    if (!(condition)) [[unlikely]]                               \
      ::weir::base::CheckFailed(#condition, __FILE__, __LINE__); \
  while (false)

// Debug builds only: for costly invariants.
#ifdef NDEBUG
#define WEIR_DCHECK(condition)    \
  do                              \
    if (false) (void)(condition); \
  while (false)
#else
#define WEIR_DCHECK(condition) WEIR_CHECK(condition)
#endif
