// How much memory this process uses.
#pragma once

#include <cstdint>

namespace weir::taskmanager {

// Resident bytes, from /proc/self/statm; 0 if it cannot be read. Thread: any.
uint64_t ResidentBytes();

}  // namespace weir::taskmanager
