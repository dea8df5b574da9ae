// What must hold: work on a SerialExecutor never overlaps and keeps its order, on however many
// threads; what was accepted runs although the executor is gone.
#include "common/base/serial_executor.h"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/mailbox.h"
#include "common/base/thread_pool.h"

namespace weir::base {
namespace {

constexpr int kPieces = 2000;

TEST_CASE("SerialExecutor runs one piece at a time, in order", "[base][unit][threads]") {
  std::vector<int> ran;  // unguarded: ThreadSanitizer sees two pieces at once
  {
    ThreadPool pool("io", 4);
    SerialExecutor serial(pool);
    for (int i = 0; i < kPieces; ++i) serial.Run([&ran, i] { ran.push_back(i); });
  }
  REQUIRE(ran.size() == kPieces);
  for (int i = 0; i < kPieces; ++i) REQUIRE(ran[static_cast<size_t>(i)] == i);
}

TEST_CASE("SerialExecutor lets work add work", "[base][unit][threads]") {
  std::vector<int> ran;
  {
    ThreadPool pool("io", 2);
    auto serial = std::make_unique<SerialExecutor>(pool);
    SerialExecutor* const borrowed = serial.get();
    auto first_ran = std::make_shared<Mailbox>();
    borrowed->Run([&ran, borrowed, first_ran] {
      borrowed->Run([&ran] { ran.push_back(2); });
      ran.push_back(1);
      first_ran->Poke();
    });
    REQUIRE(first_ran->WaitFor(absl::Seconds(60)));
  }
  CHECK(ran == std::vector<int>{1, 2});
}

}  // namespace
}  // namespace weir::base
