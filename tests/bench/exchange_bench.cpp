// What it costs to move rows between two taskmanagers on one machine: two data planes over
// loopback, rows encoded, sent, received and (as a task does) decoded; raw TCP and memcpy of the
// same run beside it. Bytes per core-second = bytes / CPU time of all threads, so that it says what
// a core can carry however many work at once.
//
// usage: bench_exchange [SECONDS a line [CHANNELS KIB]]; with the latter two that line alone
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/mailbox.h"
#include "common/base/thread.h"
#include "common/types/block_codec.h"
#include "taskmanager/network/network_data_plane.h"

namespace weir::network {
namespace {

// Elapsed and CPU seconds since it was made.
class Stopwatch {
 public:
  double Elapsed() const { return absl::ToDoubleSeconds(Now() - began_); }
  double Cpu() const { return CpuSeconds() - cpu_; }

 private:
  static absl::Duration Now() { return base::SystemClock().SteadyNow(); }
  static double CpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  const absl::Duration began_ = Now();
  const double cpu_ = CpuSeconds();
};

struct Measure {
  double per_core_second = 0;  // bytes
  double per_second = 0;       // bytes
};

Measure Result(const Stopwatch& watch, uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  return {.per_core_second = amount / watch.Cpu(), .per_second = amount / watch.Elapsed()};
}

// Columns of eight bytes, as many rows as make a block of about `bytes`.
types::BatchPtr BlockOf(size_t bytes) {
  constexpr size_t kColumns = 32;  // at most 1024 rows: 256 KiB
  std::vector<types::Field> fields;
  for (size_t i = 0; i < kColumns; ++i) {
    fields.push_back({"c" + std::to_string(i), types::kInt64Type, /*nullable=*/false});
  }
  types::BatchBuilder builder(std::make_shared<const types::Schema>(std::move(fields)));
  for (size_t row = 0; row < bytes / (kColumns * 8); ++row) {
    for (size_t i = 0; i < kColumns; ++i) builder.column(i).Append(static_cast<int64_t>(row * i));
    builder.EndRow();
  }
  return builder.Finish();
}

enum class Decode { kNo, kYes };

class Exchange {
 public:
  Exchange(size_t channels, types::BatchPtr batch, Decode decode)
      : channels_(channels),
        batch_(std::move(batch)),
        block_bytes_(types::EncodeBlock(*batch_).size()),
        decode_(decode),
        gate_(channels, mailbox_) {
    absl::StatusOr<std::unique_ptr<NetworkDataPlane>> from = NetworkDataPlane::Start({});
    absl::StatusOr<std::unique_ptr<NetworkDataPlane>> to = NetworkDataPlane::Start({});
    WEIR_CHECK(from.ok());
    WEIR_CHECK(to.ok());
    from_ = *std::move(from);
    to_ = *std::move(to);
  }

  // One producing thread fills all channels in turn, as a task does; this one consumes.
  Measure Run(double seconds) {
    std::vector<std::unique_ptr<ChannelReceiver>> receivers;
    for (uint32_t i = 0; i < channels_; ++i) {
      receivers.push_back(to_->Expect(Name(i), gate_, i, [](const absl::Status&) {}));
    }
    Stopwatch watch;
    base::Thread producing("producer", [this] { Produce(); });
    uint64_t bytes = 0;
    for (size_t closed = 0; closed < channels_;) {
      std::optional<GateElement> element = gate_.Pop();
      if (!element.has_value()) {
        mailbox_.WaitFor(absl::Seconds(1));
        mailbox_.Drain();
        continue;
      }
      if (std::holds_alternative<Close>(element->element)) {
        ++closed;
        continue;
      }
      bytes += block_bytes_;
      if (decode_ == Decode::kYes) Check(std::get<EncodedBatch>(element->element));
      if (watch.Elapsed() > seconds) stop_.store(true, std::memory_order_relaxed);
    }
    producing.Join();
    return Result(watch, bytes);
  }

 private:
  ChannelName Name(uint32_t channel) const {
    return {.job = {1, 1}, .epoch = 1, .generation = 1, .producer = channel};
  }
  void Produce() {
    base::Mailbox mailbox;
    std::vector<std::unique_ptr<ChannelSender>> senders;
    for (uint32_t i = 0; i < channels_; ++i) {
      senders.push_back(
          from_->Open(Name(i), to_->address(), channels_, mailbox, [](const absl::Status& cause) {
            std::fprintf(stderr, "%s\n", cause.ToString().c_str());
            std::abort();
          }));
    }
    while (!stop_.load(std::memory_order_relaxed)) {
      for (const std::unique_ptr<ChannelSender>& sender : senders) {
        while (!sender->HasRoom()) {
          mailbox.WaitFor(absl::Seconds(1));
          mailbox.Drain();
        }
        sender->Push(batch_);
      }
    }
    for (const std::unique_ptr<ChannelSender>& sender : senders) sender->Push(Close{});
  }
  void Check(const EncodedBatch& encoded) const {
    WEIR_CHECK(types::DecodeBlock(encoded.block, batch_->schema_ptr()).ok());
  }

  const size_t channels_;
  const types::BatchPtr batch_;
  const size_t block_bytes_;
  const Decode decode_;
  std::unique_ptr<NetworkDataPlane> from_;
  std::unique_ptr<NetworkDataPlane> to_;
  base::Mailbox mailbox_;
  InputGate gate_;
  std::atomic<bool> stop_ = false;  // relaxed: only ends the loop
};

// Two threads, a socket, blocking calls with buffers of that size: the machine's limit.
Measure RawTcp(size_t bytes, double seconds) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  WEIR_CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  WEIR_CHECK(listen(listener, 1) == 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const int to = socket(AF_INET, SOCK_STREAM, 0);
  WEIR_CHECK(connect(to, reinterpret_cast<sockaddr*>(&address), size) == 0);
  const int from = accept(listener, nullptr, nullptr);
  Stopwatch watch;
  uint64_t received = 0;
  base::Thread receiving("receiver", [from, bytes, &received] {
    std::vector<char> buffer(bytes);
    for (;;) {
      const ssize_t got = recv(from, buffer.data(), bytes, MSG_WAITALL);
      if (got <= 0) return;
      received += static_cast<uint64_t>(got);
    }
  });
  const std::vector<char> buffer(bytes, 'x');
  while (watch.Elapsed() < seconds) {
    for (int i = 0; i < 16; ++i) {
      WEIR_CHECK(send(to, buffer.data(), bytes, 0) == static_cast<ssize_t>(bytes));
    }
  }
  close(to);
  receiving.Join();
  const Measure result = Result(watch, received);
  close(from);
  close(listener);
  return result;
}

Measure Memcpy(size_t bytes, double seconds) {
  constexpr size_t kBuffers = 64;  // more than a cache holds, for all but the smallest
  std::vector<char> from(bytes * kBuffers, 'x');
  std::vector<char> to(bytes * kBuffers);
  uint64_t copied = 0;
  Stopwatch watch;
  while (watch.Elapsed() < seconds) {
    for (size_t i = 0; i < kBuffers; ++i) {
      std::memcpy(to.data() + i * bytes, from.data() + i * bytes, bytes);
    }
    copied += bytes * kBuffers;
  }
  WEIR_CHECK(to.back() == 'x');
  return Result(watch, copied);
}

void Print(const char* what, size_t block_bytes, const Measure& measure, const Measure& limit) {
  std::printf("%-28s %4zu KiB  %8.0f MB per core-second  %8.0f MB/s  %5.1f %% of raw TCP\n", what,
              block_bytes >> 10, measure.per_core_second / 1e6, measure.per_second / 1e6,
              100 * measure.per_core_second / limit.per_core_second);
  std::fflush(stdout);
}

void One(double seconds, size_t channels, size_t block_bytes) {
  const Measure measure = Exchange(channels, BlockOf(block_bytes), Decode::kNo).Run(seconds);
  Print("exchange", block_bytes, measure, measure);
}

void All(double seconds) {
  for (const size_t block_bytes : {size_t{4} << 10, size_t{64} << 10, size_t{256} << 10}) {
    const types::BatchPtr batch = BlockOf(block_bytes);
    const Measure tcp = RawTcp(block_bytes, seconds);
    Print("memcpy", block_bytes, Memcpy(block_bytes, seconds), tcp);
    Print("raw TCP", block_bytes, tcp, tcp);
    for (const size_t channels : {size_t{1}, size_t{8}}) {
      const std::string name =
          std::to_string(channels) + (channels == 1 ? " channel" : " channels");
      Print(name.c_str(), block_bytes, Exchange(channels, batch, Decode::kNo).Run(seconds), tcp);
      Print((name + ", decoded").c_str(), block_bytes,
            Exchange(channels, batch, Decode::kYes).Run(seconds), tcp);
    }
  }
}

}  // namespace
}  // namespace weir::network

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 2;
  if (argc > 3) {
    weir::network::One(seconds, std::strtoul(argv[2], nullptr, 10),
                       std::strtoul(argv[3], nullptr, 10) << 10);
  } else {
    weir::network::All(seconds);
  }
  return 0;
}
