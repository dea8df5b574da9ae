// What must hold: levels have names, and starting twice is harmless.
#include "common/daemon/logging.h"

#include <catch2/catch.hpp>

namespace weir::daemon {

TEST_CASE("ParseLogLevel knows four names", "[daemon][unit]") {
  CHECK(ParseLogLevel("error").value() == LogLevel::kError);
  CHECK(ParseLogLevel("warning").value() == LogLevel::kWarning);
  CHECK(ParseLogLevel("info").value() == LogLevel::kInfo);
  CHECK(ParseLogLevel("debug").value() == LogLevel::kDebug);
  CHECK(absl::IsInvalidArgument(ParseLogLevel("loud").status()));
}

TEST_CASE("StartLogging may be repeated", "[daemon][unit]") {
  StartLogging("logging_test", LogLevel::kError);
  StartLogging("logging_test", LogLevel::kWarning);
  SUCCEED();
}

}  // namespace weir::daemon
