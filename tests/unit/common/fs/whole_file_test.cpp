#include "common/fs/whole_file.h"

#include <string>

#include <catch2/catch.hpp>

#include "common/testing/faulty_fs.h"

namespace weir::fs {
namespace {

using testing::Fault;
using testing::FaultyFs;

TEST_CASE("ReadWholeFile refuses a file above its limit", "[fs][unit]") {
  FaultyFs file_system;
  REQUIRE(PublishFile(file_system, "/a", "12345").ok());
  CHECK(*ReadWholeFile(file_system, "/a", 5) == "12345");
  CHECK(absl::IsOutOfRange(ReadWholeFile(file_system, "/a", 4).status()));
}

TEST_CASE("PublishFile leaves old or new bytes wherever power fails", "[fs][unit]") {
  for (uint64_t site = 1;; ++site) {
    FaultyFs file_system;
    REQUIRE(PublishFile(file_system, "/a", "old").ok());
    file_system.PowerCutAt(site);
    const bool ok = PublishFile(file_system, "/a", "new").ok();
    const bool fired = file_system.has_fired();
    INFO("site " << site << ": " << file_system.fired_at());
    const uint64_t kept = site % (file_system.unsynced_change_count() + 1);
    file_system.Crash(kept);

    const auto bytes = ReadWholeFile(file_system, "/a", 100);
    REQUIRE(bytes.ok());
    CHECK((*bytes == "old" || *bytes == "new"));
    if (ok) CHECK(*bytes == "new");
    if (!fired) break;
    REQUIRE(PublishFile(file_system, "/a", "newer").ok());
    CHECK(*ReadWholeFile(file_system, "/a", 100) == "newer");
  }
}

TEST_CASE("PublishFile keeps the old bytes when the disk is full", "[fs][unit]") {
  for (const Fault fault : {Fault::kFullDisk, Fault::kShortWrite, Fault::kIoError}) {
    for (uint64_t site = 1;; ++site) {
      FaultyFs file_system;
      REQUIRE(PublishFile(file_system, "/a", "old").ok());
      file_system.FailAt(site, fault);
      const absl::Status status = PublishFile(file_system, "/a", "new");
      INFO("site " << site << ": " << file_system.fired_at());
      if (!file_system.has_fired()) break;
      file_system.ClearFaults();
      const std::string bytes = *ReadWholeFile(file_system, "/a", 100);
      CHECK((bytes == "old" || bytes == "new"));
      if (status.ok()) CHECK(bytes == "new");
    }
  }
}

}  // namespace
}  // namespace weir::fs
