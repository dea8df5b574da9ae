// Descriptor: an owned POSIX file descriptor.
#pragma once

#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace weir::fs {

// Life:      closes on destruction, if Close() did not.
// Invariant: fd_ is open, or -1.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // Repeated calls are OK. Errors as in file_system.h, for `path`.
  absl::Status Close(const std::string& path);

 private:
  int fd_ = -1;
};

// open(2) with O_CLOEXEC. `doing` is for the message.
absl::StatusOr<Descriptor> OpenDescriptor(const std::string& path, int flags, const char* doing);

}  // namespace weir::fs
