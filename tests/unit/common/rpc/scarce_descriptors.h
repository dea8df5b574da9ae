// A process with too few descriptors, and connections that wait to be accepted meanwhile.
#pragma once

#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace weir::testing {

// While it lives only `left` more descriptors can be opened.
// REQUIRES: no descriptor is closed meanwhile.
class ScarceDescriptors {
 public:
  explicit ScarceDescriptors(int left) {
    getrlimit(RLIMIT_NOFILE, &before_);
    // The system gives the lowest free number: those taken here fill the gaps.
    for (int i = 0; i < kGapsMax; ++i) fillers_.push_back(dup(STDERR_FILENO));
    rlimit scarce = before_;
    scarce.rlim_cur = static_cast<rlim_t>(fillers_.back()) + 1;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &scarce) == 0);
    for (int i = 0; i < left; ++i) CloseLast();
  }
  ScarceDescriptors(const ScarceDescriptors&) = delete;
  ScarceDescriptors& operator=(const ScarceDescriptors&) = delete;
  ~ScarceDescriptors() {
    setrlimit(RLIMIT_NOFILE, &before_);
    while (!fillers_.empty()) CloseLast();
  }

 private:
  static constexpr int kGapsMax = 32;

  void CloseLast() {
    close(fillers_.back());
    fillers_.pop_back();
  }

  rlimit before_{};
  std::vector<int> fillers_;
};

// Connections to a port of this machine, made by the system alone: no loop has to run for it.
class LoopbackClients {
 public:
  LoopbackClients(uint16_t port, int count) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    for (int i = 0; i < count; ++i) {
      fds_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
      REQUIRE(connect(fds_.back(), plain, sizeof(address)) == 0);
    }
  }
  LoopbackClients(const LoopbackClients&) = delete;
  LoopbackClients& operator=(const LoopbackClients&) = delete;
  ~LoopbackClients() {
    for (const int fd : fds_) close(fd);
  }

  int fd(size_t index) const { return fds_[index]; }

 private:
  std::vector<int> fds_;
};

}  // namespace weir::testing
