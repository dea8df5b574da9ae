#include "common/fs/local/descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "common/fs/local/errno_status.h"

namespace weir::fs {
namespace {

constexpr int kModeNew = 0644;

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

absl::Status Descriptor::Close(const std::string& path) {
  if (fd_ < 0) return absl::OkStatus();
  // Linux frees the descriptor even when close() reports an error.
  if (close(std::exchange(fd_, -1)) != 0 && errno != EINTR) {
    return StatusOfErrno(errno, "close", path);
  }
  return absl::OkStatus();
}

absl::StatusOr<Descriptor> OpenDescriptor(const std::string& path, int flags, const char* doing) {
  int fd = -1;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC, kModeNew);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return StatusOfErrno(errno, doing, path);
  return Descriptor(fd);
}

}  // namespace weir::fs
