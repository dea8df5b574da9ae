#include "common/fs/local/errno_status.h"

#include <cerrno>

#include <catch2/catch.hpp>

namespace weir::fs {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("StatusOfErrno gives each error the code its caller acts on", "[fs][unit]") {
  const auto code = [](int error) { return StatusOfErrno(error, "write", "/x").code(); };
  CHECK(code(ENOSPC) == absl::StatusCode::kResourceExhausted);
  CHECK(code(EDQUOT) == absl::StatusCode::kResourceExhausted);
  CHECK(code(EMFILE) == absl::StatusCode::kResourceExhausted);
  CHECK(code(ENOENT) == absl::StatusCode::kNotFound);
  CHECK(code(EEXIST) == absl::StatusCode::kAlreadyExists);
  CHECK(code(EACCES) == absl::StatusCode::kPermissionDenied);
  CHECK(code(EROFS) == absl::StatusCode::kPermissionDenied);
  CHECK(code(EISDIR) == absl::StatusCode::kFailedPrecondition);
  CHECK(code(EIO) == absl::StatusCode::kDataLoss);
  CHECK(code(EBUSY) == absl::StatusCode::kUnavailable);
}

TEST_CASE("StatusOfErrno names the path and says what to do", "[fs][unit]") {
  const std::string message(StatusOfErrno(ENOSPC, "write", "/data/chk-1/x").message());
  CHECK_THAT(message, Contains("cannot write /data/chk-1/x"));
  CHECK_THAT(message, Contains("No space left on device"));
  CHECK_THAT(message, Contains("free space"));
}

}  // namespace
}  // namespace weir::fs
