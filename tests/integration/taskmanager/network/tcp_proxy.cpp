#include "tests/integration/taskmanager/network/tcp_proxy.h"

#include <poll.h>
#include <unistd.h>

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/base/check.h"
#include "common/base/string_view.h"

namespace weir::network {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

TcpProxy::TcpProxy(const std::string& target) {
  uint32_t port = 0;
  WEIR_CHECK(absl::SimpleAtoi(StringView(target).substr(target.rfind(':') + 1), &port));
  target_port_ = static_cast<uint16_t>(port);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  WEIR_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  socklen_t size = sizeof(address);
  WEIR_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  WEIR_CHECK(pipe(stop_) == 0);
}

void TcpProxy::Listen() {
  WEIR_CHECK(listen(listener_, SOMAXCONN) == 0);
  thread_ = std::make_unique<base::Thread>("proxy", [this] { Run(); });
}

void TcpProxy::Cut() {
  if (listener_ < 0) return;
  close(stop_[1]);
  thread_ = nullptr;
  close(stop_[0]);
  close(listener_);
  listener_ = -1;
}

void TcpProxy::Run() {
  for (;;) {
    std::vector<pollfd> watched = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      watched.push_back({pair.client, POLLIN, 0});
      watched.push_back({pair.server, POLLIN, 0});
    }
    poll(watched.data(), watched.size(), -1);
    if (watched[0].revents != 0) break;
    for (size_t i = 0; 2 + 2 * i < watched.size();) {
      const Pair pair = pairs_[i];
      const bool goes_on = (watched[2 + 2 * i].revents == 0 || Forward(pair.client, pair.server)) &&
                           (watched[3 + 2 * i].revents == 0 || Forward(pair.server, pair.client));
      if (goes_on) {
        ++i;
        continue;
      }
      close(pair.client);
      close(pair.server);
      pairs_.erase(pairs_.begin() + static_cast<ptrdiff_t>(i));
      break;  // the others come with the next poll
    }
    if (watched[1].revents != 0) Accept();
  }
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
  pairs_.clear();
}

void TcpProxy::Accept() {
  const int client = accept(listener_, nullptr, nullptr);
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(target_port_);
  if (connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    pairs_.push_back({client, server});
    return;
  }
  close(client);
  close(server);
}

bool TcpProxy::Forward(int from, int to) {
  char bytes[64 * 1024];
  const ssize_t got = recv(from, bytes, sizeof(bytes), 0);
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t n = send(to, bytes + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += n;
  }
  return got > 0;
}

}  // namespace weir::network
