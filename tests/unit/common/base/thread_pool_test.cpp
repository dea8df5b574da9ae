// What must hold: accepted work runs exactly once, also when the pool goes meanwhile.
#include "common/base/thread_pool.h"

#include <atomic>

#include <catch2/catch.hpp>

namespace weir::base {
namespace {

TEST_CASE("A pool that goes finishes the work it accepted", "[base][unit][threads]") {
  std::atomic<int> ran{0};
  {
    ThreadPool pool("pool", 3);
    for (int i = 0; i < 2000; ++i) pool.Run([&ran] { ran.fetch_add(1); });
  }
  CHECK(ran.load() == 2000);
}

TEST_CASE("Work may give the pool more work", "[base][unit][threads]") {
  std::atomic<int> ran{0};
  {
    ThreadPool pool("pool", 2);
    for (int i = 0; i < 100; ++i) {
      pool.Run([&pool, &ran] {
        ran.fetch_add(1);
        pool.Run([&ran] { ran.fetch_add(1); });
      });
    }
  }
  CHECK(ran.load() == 200);
}

}  // namespace
}  // namespace weir::base
