// TcpProxy: stands between two processes' sockets and can be cut.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/thread.h"

namespace weir::network {

// Forwards connections to `port` of this machine until it is cut.
// Thread: made and destroyed on one thread; a thread of its own does the work.
class TcpProxy {
 public:
  // Has an address from here on, but refuses connections until Listen().
  explicit TcpProxy(const std::string& target);
  ~TcpProxy() { Cut(); }
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  void Listen();
  // "127.0.0.1:6121"
  const std::string& address() const { return address_; }
  // Ends every connection and takes no more.
  void Cut();

 private:
  struct Pair {
    int client;
    int server;
  };
  void Run();
  void Accept();
  // False: one side has ended.
  static bool Forward(int from, int to);

  uint16_t target_port_ = 0;
  int listener_ = -1;
  int stop_[2] = {-1, -1};  // a pipe: closed to stop
  std::string address_;
  std::vector<Pair> pairs_;  // the thread's
  std::unique_ptr<base::Thread> thread_;
};

}  // namespace weir::network
