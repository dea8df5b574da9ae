// What must hold: snapshots are read and released on other threads while the owner goes on writing,
// without a race and without a byte of them changing.
#include <catch2/catch.hpp>

#include "common/base/mutex.h"
#include "common/base/thread.h"
#include "tests/unit/common/state/keyed_samples.h"

namespace weir::state {
namespace {

// A snapshot on its way to a writer, with what it must contain.
struct Job {
  std::unique_ptr<KeyedSnapshot> snapshot;
  KeyedContents contents;
};

class JobQueue {
 public:
  void Push(std::unique_ptr<Job> job) {
    base::MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
    condition_.WakeOne();
  }
  // Null: there is nothing more.
  std::unique_ptr<Job> Pop() {
    base::MutexLock lock(mutex_);
    while (jobs_.empty()) condition_.Wait(mutex_);
    std::unique_ptr<Job> job = std::move(jobs_.front());
    jobs_.erase(jobs_.begin());
    return job;
  }

 private:
  base::Mutex mutex_;
  base::CondVar condition_;
  std::vector<std::unique_ptr<Job>> jobs_ ABSL_GUARDED_BY(mutex_);
};

TEST_CASE("snapshots are written on other threads while the owner mutates",
          "[state][unit][threads]") {
  const uint64_t seed = TestSeed(5);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  JobQueue jobs;
  JobQueue results;
  std::vector<std::unique_ptr<base::Thread>> writers;
  std::vector<KeyedStateHandle> handles[2];
  std::vector<KeyedContents> expected[2];
  for (size_t w = 0; w < 2; ++w) {
    writers.push_back(std::make_unique<base::Thread>("writer", [&, w] {
      while (const std::unique_ptr<Job> job = jobs.Pop()) {
        StringOutput output;
        handles[w].push_back(*job->snapshot->Write(output));
        expected[w].push_back(job->contents);
      }
    }));
  }
  {
    SampleBackend owner({0, 7}, 8);
    for (int step = 0; step < 40; ++step) {
      for (int i = 0; i < 200; ++i) {
        owner.Add(static_cast<int64_t>(random.Below(2000)), random.Below(5000));
      }
      if (random.OneIn(5)) owner.counts->Drop(static_cast<int64_t>(random.Below(3)) - 1);
      auto job = std::make_unique<Job>();
      job->contents = owner.Contents();
      job->snapshot = owner.backend.Snapshot();
      if (!random.OneIn(6)) jobs.Push(std::move(job));
    }
    jobs.Push(nullptr);
    jobs.Push(nullptr);
  }
  for (const std::unique_ptr<base::Thread>& writer : writers) writer->Join();

  for (size_t w = 0; w < 2; ++w) {
    for (size_t i = 0; i < handles[w].size(); ++i) {
      SampleBackend restored({0, 7}, 8);
      REQUIRE(restored.backend.Restore({handles[w][i]}, StringInputs()).ok());
      CHECK(restored.Contents() == expected[w][i]);
    }
  }
  CHECK(handles[0].size() + handles[1].size() > 20);
}

}  // namespace
}  // namespace weir::state
