// How much memory a process may take here.
#pragma once

#include <cstdint>
#include <string>

namespace weir::taskmanager {

// Bytes: the least of the machine's memory and the limits of the control groups (v2 or v1) this
// process runs in. `root` comes before every path that is read; empty but for tests. Thread: any.
uint64_t MemoryOfMachine(const std::string& root = "");

}  // namespace weir::taskmanager
