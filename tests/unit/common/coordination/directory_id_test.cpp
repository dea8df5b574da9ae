// What must hold: a storage directory keeps its id wherever it goes, and no two have the same.
#include "common/coordination/file/directory_id.h"

#include <catch2/catch.hpp>

#include "common/fs/whole_file.h"
#include "common/testing/faulty_fs.h"

namespace weir::coordination {
namespace {

TEST_CASE("A storage directory keeps the id that was made first", "[coordination][unit]") {
  testing::FaultyFs files;
  REQUIRE(files.MakeDirs("/ha").ok());
  REQUIRE(files.MakeDirs("/other").ok());
  const absl::StatusOr<ClusterId> made = ReadOrMakeDirectoryId(files, "/ha", 1);
  REQUIRE(made.ok());
  CHECK_FALSE(made->IsNil());
  CHECK(*ReadOrMakeDirectoryId(files, "/ha", 2) == *made);
  CHECK(*ReadOrMakeDirectoryId(files, "/other", 3) != *made);
  REQUIRE(files.Rename("/ha", "/moved").ok());
  CHECK(*ReadOrMakeDirectoryId(files, "/moved", 4) == *made);
}

TEST_CASE("An id that cannot be one is not taken", "[coordination][unit]") {
  testing::FaultyFs files;
  REQUIRE(files.MakeDirs("/ha").ok());
  for (const std::string& text : {std::string(), std::string("12"), std::string(31, 'a') + "x",
                                  std::string(32, '0'), std::string(40, 'a')}) {
    CAPTURE(text);
    REQUIRE(fs::PublishFile(files, "/ha/id", text).ok());
    const absl::Status status = ReadOrMakeDirectoryId(files, "/ha", 1).status();
    CHECK(absl::IsDataLoss(status));
    CHECK(status.message() ==
          "/ha/id: not the 32 hexadecimal digits of a storage directory's id; restore the file "
          "from a copy, or remove it and restart the taskmanagers as well");
  }
}

}  // namespace
}  // namespace weir::coordination
