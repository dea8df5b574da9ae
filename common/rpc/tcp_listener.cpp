#include "common/rpc/tcp_listener.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <unistd.h>
#include <utility>

#include <absl/cleanup/cleanup.h>
#include <absl/strings/str_cat.h>
#include <kj/exception.h>
#include <kj/io.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "common/base/status_macros.h"

namespace weir::rpc {
namespace {

// Connections that wait to be accepted.
constexpr int kBacklog = 256;

// Keep-alive: first probe, then every, then this many unanswered ones end the connection.
constexpr int kIdleSeconds = 10;
constexpr int kProbeSeconds = 5;
constexpr int kProbesMax = 4;

absl::Status ListenError(int error, const std::string& host, uint16_t port) {
  const std::string where = absl::StrCat("cannot listen on ", host, ":", port, ": ");
  char buffer[128];  // the GNU variant may return a text of its own instead
  switch (error) {
    case EADDRINUSE:
      return absl::FailedPreconditionError(
          absl::StrCat(where,
                       "the port is in use; stop the process that holds it (ss -ltnp shows it), or "
                       "configure another port, or 0 for a free one"));
    case EADDRNOTAVAIL:
      return absl::FailedPreconditionError(absl::StrCat(
          where, "this machine has no such address; configure one that `ip address` shows"));
    case EACCES:
      return absl::PermissionDeniedError(absl::StrCat(
          where, "not permitted; ports below 1024 need a privilege, so configure a higher one"));
    default:
      return absl::UnavailableError(absl::StrCat(where, strerror_r(error, buffer, sizeof(buffer))));
  }
}

std::string Numeric(const sockaddr* address, socklen_t length, uint16_t* port) {
  char host[NI_MAXHOST];
  char service[NI_MAXSERV];
  if (getnameinfo(address, length, host, sizeof(host), service, sizeof(service),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "unknown";
  }
  *port = static_cast<uint16_t>(std::strtoul(service, nullptr, 10));
  const bool is_v6 = address->sa_family == AF_INET6;
  return is_v6 ? absl::StrCat("[", host, "]:", service) : absl::StrCat(host, ":", service);
}

// An IPv4 address if there is one: what "localhost" means to most people.
const addrinfo* Choose(const addrinfo* found) {
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    if (one->ai_family == AF_INET) return one;
  }
  return found;
}

absl::StatusOr<kj::AutoCloseFd> Bind(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", host, ":", port,
                                                   ": no such host: ", gai_strerror(error),
                                                   "; configure a name or an address of this "
                                                   "machine, such as 127.0.0.1"));
  }
  const auto free_found = absl::MakeCleanup([found] { freeaddrinfo(found); });
  const addrinfo* address = Choose(found);
  const int raw = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (raw < 0) return ListenError(errno, host, port);
  kj::AutoCloseFd fd(raw);
  // A daemon that starts again takes its port back although old connections linger.
  const int on = 1;
  if (setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      bind(raw, address->ai_addr, address->ai_addrlen) != 0 || listen(raw, kBacklog) != 0) {
    return ListenError(errno, host, port);
  }
  return fd;
}

}  // namespace

absl::StatusOr<TcpListener> ListenTcp(ControlLoop& loop, const std::string& host, uint16_t port) {
  WEIR_ASSIGN_OR_RETURN(kj::AutoCloseFd fd, Bind(host, port));
  sockaddr_storage bound{};
  socklen_t length = sizeof(bound);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return ListenError(errno, host, port);
  }
  TcpListener listener;
  listener.address = Numeric(reinterpret_cast<const sockaddr*>(&bound), length, &listener.port);
  listener.receiver = loop.io().lowLevelProvider->wrapListenSocketFd(
      kj::mv(fd),
      kj::LowLevelAsyncIoProvider::ALREADY_CLOEXEC | kj::LowLevelAsyncIoProvider::ALREADY_NONBLOCK);
  return listener;
}

std::string PeerAddress(kj::AsyncIoStream& stream) {
  std::string address = "unknown";
  KJ_IF_MAYBE (fd, stream.getFd()) {
    sockaddr_storage peer{};
    socklen_t length = sizeof(peer);
    uint16_t port = 0;
    if (getpeername(*fd, reinterpret_cast<sockaddr*>(&peer), &length) == 0) {
      address = Numeric(reinterpret_cast<const sockaddr*>(&peer), length, &port);
    }
  }
  return address;
}

void TuneTcp(kj::AsyncIoStream& stream) {
  KJ_IF_MAYBE (fd, stream.getFd()) {
    const auto set = [fd = *fd](int level, int option, int value) {
      // Fails only on a connection that is over, whose end is noticed anyway.
      setsockopt(fd, level, option, &value, sizeof(value));
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
    set(IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
    set(IPPROTO_TCP, TCP_KEEPCNT, kProbesMax);
  }
}

}  // namespace weir::rpc
