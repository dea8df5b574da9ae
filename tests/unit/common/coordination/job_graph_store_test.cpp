// What every JobGraphStore must do.
#include "common/coordination/job_graph_store.h"

#include <memory>

#include <catch2/catch.hpp>

#include "common/coordination/file/file_stores.h"
#include "common/coordination/memory/memory_job_stores.h"
#include "common/testing/faulty_fs.h"

namespace weir::coordination {
namespace {

struct InMemory {
  MemoryJobGraphStore store;
  void BeginAnew() {}
};

// BeginAnew(): as another process, after a crash.
struct InFile {
  testing::FaultyFs files;
  std::unique_ptr<FileCoordination> coordination = Open();
  FileJobGraphStore store{*coordination};

  std::unique_ptr<FileCoordination> Open() {
    return *FileCoordination::Open(files, "/ha", "test", 3);
  }
  void BeginAnew() {
    std::destroy_at(&store);
    coordination.reset();
    files.Crash();
    coordination = Open();
    std::construct_at(&store, *coordination);
  }
};

StoredJob JobOf(uint64_t number) {
  return {.id = {1, number},
          .name = "job",
          .submitted_at = absl::FromUnixSeconds(static_cast<int64_t>(number)),
          .source = {.file_name = "job.yaml", .text = "weir: 1", .max_parallelism = 128},
          .parallelism = 2};
}

TEMPLATE_TEST_CASE("Jobs are listed as they were put, the oldest first", "[coordination][unit]",
                   InMemory, InFile) {
  TestType place;
  for (const uint64_t number : {3, 1, 2}) REQUIRE(place.store.Put(JobOf(number)).ok());
  REQUIRE(place.store.Remove({1, 2}).ok());
  REQUIRE(place.store.Remove({1, 2}).ok());
  place.BeginAnew();
  CHECK(*place.store.List() == std::vector<StoredJob>{JobOf(1), JobOf(3)});
}

TEMPLATE_TEST_CASE("A cancelled job is listed as cancelled until it is removed or put again",
                   "[coordination][unit]", InMemory, InFile) {
  TestType place;
  REQUIRE(place.store.Put(JobOf(1)).ok());
  REQUIRE(place.store.Put(JobOf(2)).ok());
  REQUIRE(place.store.MarkCancelled({1, 1}).ok());
  REQUIRE(place.store.MarkCancelled({1, 1}).ok());
  REQUIRE(place.store.MarkCancelled({1, 9}).ok());
  place.BeginAnew();
  StoredJob cancelled = JobOf(1);
  cancelled.is_cancelled = true;
  CHECK(*place.store.List() == std::vector<StoredJob>{cancelled, JobOf(2)});
  // Put with its mark it keeps it; put without it has none.
  REQUIRE(place.store.Put(cancelled).ok());
  place.BeginAnew();
  CHECK(place.store.List()->front() == cancelled);
  REQUIRE(place.store.Put(JobOf(1)).ok());
  CHECK(place.store.List()->front() == JobOf(1));
  REQUIRE(place.store.MarkCancelled({1, 1}).ok());
  REQUIRE(place.store.Remove({1, 1}).ok());
  REQUIRE(place.store.MarkCancelled({1, 1}).ok());
  place.BeginAnew();
  CHECK(*place.store.List() == std::vector<StoredJob>{JobOf(2)});
}

TEST_CASE("A mark that cannot be stored is not there", "[coordination][unit]") {
  InFile place;
  REQUIRE(place.store.Put(JobOf(1)).ok());
  place.files.FailAt(1, testing::Fault::kFullDisk);
  CHECK_FALSE(place.store.MarkCancelled({1, 1}).ok());
  place.files.ClearFaults();
  CHECK_FALSE(place.store.List()->front().is_cancelled);
  place.BeginAnew();
  CHECK_FALSE(place.store.List()->front().is_cancelled);
}

}  // namespace
}  // namespace weir::coordination
