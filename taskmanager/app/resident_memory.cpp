#include "taskmanager/app/resident_memory.h"

#include <cstdio>
#include <memory>
#include <unistd.h>

namespace weir::taskmanager {

uint64_t ResidentBytes() {
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen("/proc/self/statm", "r"));
  uint64_t pages = 0;
  uint64_t resident = 0;
  if (file == nullptr || std::fscanf(file.get(), "%lu %lu", &pages, &resident) != 2) return 0;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace weir::taskmanager
