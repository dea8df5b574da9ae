// What every CheckpointIdCounter must do.
#include <algorithm>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/thread.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/file/file_stores.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/testing/faulty_fs.h"

namespace weir::coordination {
namespace {

struct InMemory {
  MemoryCheckpointIdCounter counter;
};

struct InFile {
  testing::FaultyFs files;
  std::unique_ptr<FileCoordination> coordination = *FileCoordination::Open(files, "/ha", "test", 3);
  FileCheckpointIdCounter counter{*coordination, JobId{1, 2}};
};

TEMPLATE_TEST_CASE("Ids start at 1 and rise by one", "[coordination][unit]", InMemory, InFile) {
  TestType place;
  REQUIRE(place.counter.Start().ok());
  REQUIRE(place.counter.Start().ok());
  for (int64_t id = 1; id <= 4; ++id) {
    CHECK(*place.counter.Get() == CheckpointId{id});
    CHECK(*place.counter.GetAndIncrement() == CheckpointId{id});
  }
}

TEMPLATE_TEST_CASE("A counter is raised and never goes back", "[coordination][unit]", InMemory,
                   InFile) {
  TestType place;
  REQUIRE(place.counter.Start().ok());
  REQUIRE(place.counter.RaiseTo(CheckpointId{1337}).ok());
  REQUIRE(place.counter.RaiseTo(CheckpointId{5}).ok());
  CHECK(*place.counter.GetAndIncrement() == CheckpointId{1337});
  CHECK(*place.counter.GetAndIncrement() == CheckpointId{1338});
}

TEMPLATE_TEST_CASE("A counter that does not run gives no ids", "[coordination][unit]", InMemory,
                   InFile) {
  TestType place;
  CHECK(absl::IsFailedPrecondition(place.counter.GetAndIncrement().status()));
  REQUIRE(place.counter.Start().ok());
  REQUIRE(place.counter.Stop(JobEnd::kSuspended).ok());
  REQUIRE(place.counter.Stop(JobEnd::kSuspended).ok());
  CHECK(absl::IsFailedPrecondition(place.counter.Get().status()));
}

TEMPLATE_TEST_CASE("Eight threads get distinct ids", "[coordination][unit][threads]", InMemory,
                   InFile) {
  TestType place;
  REQUIRE(place.counter.Start().ok());
  std::vector<std::vector<int64_t>> got(8);
  {
    std::vector<std::unique_ptr<base::Thread>> threads;
    for (std::vector<int64_t>& ids : got) {
      threads.push_back(std::make_unique<base::Thread>("ids", [&ids, &place] {
        for (int i = 0; i < 128; ++i) ids.push_back(ToInt(*place.counter.GetAndIncrement()));
      }));
    }
  }
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& ids : got) {
    CHECK(std::is_sorted(ids.begin(), ids.end()));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() == 1024);
  for (int64_t i = 0; i < 1024; ++i) REQUIRE(all[static_cast<size_t>(i)] == i + 1);
}

}  // namespace
}  // namespace weir::coordination
