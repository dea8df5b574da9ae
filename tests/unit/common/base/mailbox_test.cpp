// What must hold: mails run once and in order on the consumer's thread, only request mails are
// refused, a poke is never lost, and waiting without end does wait.
#include "common/base/mailbox.h"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/clock.h"
#include "common/base/thread.h"

namespace weir::base {
namespace {

TEST_CASE("A mailbox runs mails in order of posting", "[base][unit]") {
  Mailbox mailbox;
  std::vector<int> ran;
  for (int i = 0; i < 5; ++i) mailbox.PostControl([&ran, i] { ran.push_back(i); });
  CHECK(mailbox.Drain() == 5);
  CHECK(mailbox.Drain() == 0);
  CHECK(ran == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_CASE("A full mailbox refuses requests and still takes control mails", "[base][unit]") {
  Mailbox mailbox;
  for (size_t i = 0; i < kMailboxRequestsMax; ++i) REQUIRE(mailbox.PostRequest([] {}).ok());
  CHECK(absl::IsResourceExhausted(mailbox.PostRequest([] {})));
  bool control_ran = false;
  mailbox.PostControl([&control_ran] { control_ran = true; });
  mailbox.Drain();
  CHECK(control_ran);
  CHECK(mailbox.PostRequest([] {}).ok());
}

TEST_CASE("A poke before the wait ends the wait at once", "[base][unit]") {
  int wakes = 0;
  Mailbox mailbox([&wakes] { ++wakes; });
  mailbox.Poke();
  mailbox.Poke();
  CHECK(wakes == 1);  // coalesced
  CHECK(mailbox.WaitFor(absl::InfiniteDuration()));
  mailbox.Drain();
  CHECK_FALSE(mailbox.WaitFor(absl::ZeroDuration()));
}

TEST_CASE("Waiting without end lasts until another thread posts", "[base][unit][threads]") {
  Mailbox mailbox;
  Mailbox back;
  bool ran = false;
  Thread poster("poster", [&] {
    back.WaitFor(absl::InfiniteDuration());
    mailbox.PostControl([&ran] { ran = true; });
  });
  // Nothing is there yet, so a wait that returned at once would say false.
  back.Poke();
  CHECK(mailbox.WaitFor(absl::InfiniteDuration()));
  mailbox.Drain();
  CHECK(ran);
}

TEST_CASE("A closed mailbox destroys what comes", "[base][unit]") {
  Mailbox mailbox;
  auto counted = std::make_shared<int>(0);
  mailbox.PostControl([counted] { ++*counted; });
  mailbox.Close();
  mailbox.PostControl([counted] { ++*counted; });
  CHECK(mailbox.Drain() == 0);
  CHECK(*counted == 0);
  CHECK(counted.use_count() == 1);
  CHECK_FALSE(mailbox.PostRequest([] {}).ok());
}

TEST_CASE("Every mail of several threads runs once", "[base][unit][threads]") {
  constexpr int kThreads = 4;
  constexpr int kMails = 5000;
  Mailbox mailbox;
  int ran = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<Thread>("poster", [&mailbox, &ran] {
      for (int i = 0; i < kMails; ++i) mailbox.PostControl([&ran] { ++ran; });
    }));
  }
  while (ran < kThreads * kMails) {
    mailbox.WaitFor(absl::InfiniteDuration());
    mailbox.Drain();
  }
  CHECK(ran == kThreads * kMails);
}

}  // namespace
}  // namespace weir::base
