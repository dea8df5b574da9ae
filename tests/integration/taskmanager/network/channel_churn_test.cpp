// What must hold whatever happens when: ends of channels that go at any moment, from another thread
// than the one that works with them, are never told anything afterwards, and nobody is left
// waiting.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/base/thread.h"
#include "tests/integration/taskmanager/network/channel_ends.h"
#include "tests/integration/taskmanager/network/tcp_proxy.h"

namespace weir::network {
namespace {

uint64_t Seed() {
  const char* given = std::getenv("WEIR_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : base::EntropySeed();
}

// A task of its own thread at one end of a channel, told to stop and then joined, as tasks are.
class ChannelTask {
 public:
  ~ChannelTask() { Stop(); }

  void Produce(NetworkDataPlane& plane, const ChannelName& name, const std::string& address,
               uint64_t seed) {
    sender_ = plane.Open(name, address, 1, mailbox_, Lost());
    thread_ = std::make_unique<base::Thread>("producer", [this, seed] {
      base::Random random(seed);
      for (uint64_t i = random.Below(300); i > 0 && !stop_; --i) {
        while (!sender_->HasRoom() && !stop_) mailbox_.WaitFor(absl::Milliseconds(20));
        sender_->Push(Numbers(0, 1 + random.Below(1024)));
        if (random.OneIn(10)) sender_->Push(Watermark{0});
      }
      if (random.OneIn(2)) sender_->Push(Close{});
    });
  }
  void Consume(NetworkDataPlane& plane, const ChannelName& name, uint64_t seed) {
    receiver_ = plane.Expect(name, gate_, 0, Lost());
    thread_ = std::make_unique<base::Thread>("consumer", [this, seed] {
      base::Random random(seed);
      const bool is_lazy = random.OneIn(3);
      while (!stop_) {
        mailbox_.WaitFor(absl::Milliseconds(20));
        mailbox_.Drain();
        while (!is_lazy && gate_.Pop().has_value()) {
        }
      }
      gate_.Abandon();
    });
  }
  // Ends in the order of a task's end, or with the channel first.
  void Stop(bool channel_first = false) {
    if (channel_first) receiver_ = nullptr;
    stop_ = true;
    mailbox_.Poke();
    thread_ = nullptr;
    sender_ = nullptr;
    receiver_ = nullptr;
    is_gone_ = true;
  }
  bool WasToldTooLate() const { return told_too_late_; }

 private:
  ChannelLost Lost() {
    return [this](const absl::Status&) {
      if (is_gone_) told_too_late_ = true;
      stop_ = true;
      mailbox_.Poke();
    };
  }

  base::Mailbox mailbox_;
  InputGate gate_{1, mailbox_};
  std::atomic<bool> stop_ = false;
  std::atomic<bool> is_gone_ = false;
  std::atomic<bool> told_too_late_ = false;
  std::unique_ptr<ChannelSender> sender_;
  std::unique_ptr<ChannelReceiver> receiver_;
  std::unique_ptr<base::Thread> thread_;
};

void Churn(base::Random& random) {
  std::unique_ptr<NetworkDataPlane> from = StartPlane(1 + random.Below(2));
  std::unique_ptr<NetworkDataPlane> to = StartPlane(1 + random.Below(2));
  const std::unique_ptr<TcpProxy> proxy = std::make_unique<TcpProxy>(to->address());
  if (!random.OneIn(5)) proxy->Listen();
  std::vector<std::unique_ptr<ChannelTask>> tasks;
  for (uint32_t i = 0; i < 6; ++i) {
    const std::string address = random.OneIn(2) ? proxy->address() : to->address();
    for (const bool produces : {random.OneIn(2), random.OneIn(2)}) {
      // Now and then a side is there twice, and the other one never.
      tasks.push_back(std::make_unique<ChannelTask>());
      if (produces) {
        tasks.back()->Produce(*from, Named(i), address, random.Next());
      } else {
        tasks.back()->Consume(*to, Named(i), random.Next());
      }
    }
  }
  for (uint64_t steps = 4 + random.Below(6); steps > 0; --steps) {
    switch (random.Below(8)) {
      case 0:
        proxy->Cut();
        break;
      case 1:
        if (random.OneIn(3)) from = nullptr;
        break;
      case 2:
        if (random.OneIn(3)) to = nullptr;
        break;
      default:
        tasks[random.Below(tasks.size())]->Stop(random.OneIn(2));
    }
    // Some turns of everyone else, as many as the machine likes.
    base::Mailbox pause;
    pause.WaitFor(absl::Milliseconds(random.Below(5)));
  }
  for (const std::unique_ptr<ChannelTask>& task : tasks) task->Stop(random.OneIn(2));
  from = nullptr;
  to = nullptr;
  for (const std::unique_ptr<ChannelTask>& task : tasks) CHECK_FALSE(task->WasToldTooLate());
}

TEST_CASE("Ends of channels may go at any moment", "[network][integration][threads]") {
  const uint64_t seed = Seed();
  CAPTURE(seed);
  base::Random random(seed);
  for (int round = 0; round < 60; ++round) Churn(random);
}

}  // namespace
}  // namespace weir::network
