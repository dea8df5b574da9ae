// What must hold: lines come out once, by time, when every log has answered.
#include "jobmanager/dispatcher/log_gathering.h"

#include <optional>

#include <catch2/catch.hpp>

namespace weir::dispatcher {
namespace {

rpc::LogLine LineAt(int second, const std::string& text) {
  return {.at = absl::UnixEpoch() + absl::Seconds(second), .text = text};
}

TEST_CASE("Lines are gathered by time when all answers are there", "[dispatcher][unit]") {
  std::optional<std::vector<std::string>> gathered;
  auto gathering = std::make_shared<LogGathering>(
      3, [&gathered](absl::StatusOr<std::vector<rpc::LogLine>> lines) {
        REQUIRE(lines.ok());
        gathered.emplace();
        for (const rpc::LogLine& line : *lines) gathered->push_back(line.text);
      });
  gathering->Add("a", {LineAt(1, "one"), LineAt(5, "five")});
  auto b = LogGathering::Expect(gathering, "b", absl::UnixEpoch() + absl::Seconds(9));
  auto c = LogGathering::Expect(gathering, "c", absl::UnixEpoch() + absl::Seconds(9));
  gathering->Close();
  gathering.reset();
  CHECK_FALSE(gathered.has_value());
  c(absl::UnavailableError("gone"));
  CHECK_FALSE(gathered.has_value());
  b(std::vector<rpc::LogLine>{LineAt(3, "three")});
  REQUIRE(gathered.has_value());
  // The oldest of four is beyond the limit.
  CHECK(*gathered ==
        std::vector<std::string>{"b: three", "a: five", "c: its log cannot be read: gone"});
}

TEST_CASE("A gathering of what is there already answers at its close", "[dispatcher][unit]") {
  bool is_answered = false;
  LogGathering gathering(10, [&is_answered](absl::StatusOr<std::vector<rpc::LogLine>> lines) {
    is_answered = true;
    CHECK(lines->empty());
  });
  CHECK_FALSE(is_answered);
  gathering.Close();
  CHECK(is_answered);
}

}  // namespace
}  // namespace weir::dispatcher
