// What must hold: what a taskmanager says of itself arrives as it was sent, and what no honest one
// says is refused.
#include "common/rpc/facts_codec.h"

#include <functional>
#include <string>

#include <capnp/message.h>
#include <catch2/catch.hpp>

#include "common/rpc/protocol.h"

namespace weir::rpc {
namespace {

TaskManagerFacts SampleFacts() {
  return {.id = {7, 8},
          .host = "worker-7",
          .data_address = "10.0.0.7:6121",
          .http_address = "",
          .slots = kSlotsMax,
          .pid = 4711,
          .build_version = "0.1.0"};
}

absl::StatusOr<TaskManagerFacts> Spoilt(const std::function<void(wire::Facts::Builder)>& change) {
  capnp::MallocMessageBuilder message;
  auto facts = message.initRoot<wire::Facts>();
  WriteFacts(SampleFacts(), facts);
  change(facts);
  return ReadFacts(facts.asReader());
}

std::string RefusalOf(const std::function<void(wire::Facts::Builder)>& change) {
  const auto result = Spoilt(change);
  CHECK(absl::IsInvalidArgument(result.status()));
  return std::string(result.status().message());
}

TEST_CASE("A taskmanager's facts arrive as they were sent", "[rpc][unit]") {
  const auto arrived = Spoilt([](wire::Facts::Builder) {});
  REQUIRE(arrived.ok());
  CHECK(arrived->id == SampleFacts().id);
  CHECK(arrived->host == "worker-7");
  CHECK(arrived->data_address == "10.0.0.7:6121");
  CHECK(arrived->http_address.empty());
  CHECK(arrived->slots == kSlotsMax);
  CHECK(arrived->pid == 4711);
  CHECK(arrived->build_version == "0.1.0");
}

TEST_CASE("Facts that cannot be are refused", "[rpc][unit]") {
  CHECK(RefusalOf([](auto f) { f.initId(); }) == "a taskmanager without id");
  CHECK(RefusalOf([](auto f) { f.setHost(""); }) == "host is missing");
  CHECK(RefusalOf([](auto f) { f.setDataAddress(""); }) == "data address is missing");
  CHECK(RefusalOf([](auto f) { f.setBuild(""); }) == "build version is missing");
  CHECK(RefusalOf([](auto f) { f.setSlots(0); }) == "0 slots; between 1 and 4096 are possible");
  CHECK(RefusalOf([](auto f) { f.setSlots(kSlotsMax + 1); }) ==
        "4097 slots; between 1 and 4096 are possible");
  CHECK(RefusalOf([](auto f) { f.setPid(0); }) == "process id 0");
  const std::string longest(kNameBytesMax, 'h');
  CHECK(Spoilt([&](auto f) { f.setHost(longest.c_str()); }).ok());
  CHECK(RefusalOf([&](auto f) { f.setHost((longest + "h").c_str()); }) == "host of 257 bytes");
}

TEST_CASE("A report arrives as it was sent, and one with impossible counts does not",
          "[rpc][unit]") {
  capnp::MallocMessageBuilder message;
  auto wire = message.initRoot<wire::Report>();
  TaskManagerReport sent;
  sent.resident_bytes = uint64_t{1} << 40;
  sent.tasks = {{.job = {1, 2},
                 .attempt = {3, 4},
                 .operators = {{.node = 5,
                                .rows_in = 6,
                                .rows_out = 7,
                                .rows_late = 8,
                                .rows_partially_late = 9,
                                .rows_skipped = 10,
                                .deletes_dropped = 11},
                               {.node = 6}}},
                {.job = {1, 2}, .attempt = {3, 5}, .operators = {}}};
  WriteReport(sent, wire);
  const auto arrived = ReadReport(wire.asReader());
  REQUIRE(arrived.ok());
  CHECK(arrived->resident_bytes == sent.resident_bytes);
  REQUIRE(arrived->tasks.size() == 2);
  CHECK(arrived->tasks[0].job == sent.tasks[0].job);
  CHECK(arrived->tasks[1].attempt == sent.tasks[1].attempt);
  REQUIRE(arrived->tasks[0].operators.size() == 2);
  const OperatorCounts& counts = arrived->tasks[0].operators[0];
  CHECK(counts.node == 5);
  CHECK(counts.rows_in == 6);
  CHECK(counts.rows_out == 7);
  CHECK(counts.rows_late == 8);
  CHECK(counts.rows_partially_late == 9);
  CHECK(counts.rows_skipped == 10);
  CHECK(counts.deletes_dropped == 11);

  wire.getTasks()[0].getOperators()[0].setRowsLate(-1);
  CHECK(absl::IsInvalidArgument(ReadReport(wire.asReader()).status()));
  wire.getTasks()[0].getOperators()[0].setRowsLate(0);
  wire.getTasks()[1].initJob();
  CHECK(absl::IsInvalidArgument(ReadReport(wire.asReader()).status()));
}

TEST_CASE("A request for a log asks for a bounded number of lines", "[rpc][unit]") {
  capnp::MallocMessageBuilder message;
  auto wire = message.initRoot<wire::LogRequest>();
  WriteLogRequest({.contains = "4f2a", .lines_max = kLogLinesMax}, wire);
  const auto arrived = ReadLogRequest(wire.asReader());
  REQUIRE(arrived.ok());
  CHECK(arrived->contains == "4f2a");
  CHECK(arrived->lines_max == kLogLinesMax);
  wire.setLinesMax(kLogLinesMax + 1);
  CHECK(absl::IsInvalidArgument(ReadLogRequest(wire.asReader()).status()));
  wire.setLinesMax(0);
  CHECK(absl::IsInvalidArgument(ReadLogRequest(wire.asReader()).status()));
}

TEST_CASE("Lines of a log arrive as they were sent, and levels that no log has do not",
          "[rpc][unit]") {
  capnp::MallocMessageBuilder message;
  auto wire = message.initRoot<capnp::List<wire::LogLine>>(2);
  const std::vector<LogLine> sent = {
      {.at = absl::FromUnixMicros(1'700'000'000'000'001), .level = 'W', .text = "a ä"},
      {.at = absl::FromUnixMicros(2), .level = 'E', .text = ""}};
  WriteLogLines(sent, wire);
  const auto arrived = ReadLogLines(wire.asReader());
  REQUIRE(arrived.ok());
  REQUIRE(arrived->size() == 2);
  CHECK((*arrived)[0].at == sent[0].at);
  CHECK((*arrived)[0].level == 'W');
  CHECK((*arrived)[0].text == "a ä");
  CHECK((*arrived)[1].level == 'E');
  wire[1].setLevel('X');
  CHECK(absl::IsInvalidArgument(ReadLogLines(wire.asReader()).status()));
}

TEST_CASE("Of too long a log the oldest lines are left out", "[rpc][unit]") {
  const LogLine large{.at = absl::UnixEpoch(), .text = std::string(kPayloadBytesMax / 2, 'x')};
  const LogLine small{.at = absl::UnixEpoch(), .text = "small"};
  CHECK(FittingLines({small, large, small}).size() == 3);
  const std::vector<LogLine> kept = FittingLines({large, large, small});
  REQUIRE(kept.size() == 2);
  CHECK(kept[1].text == "small");
}

}  // namespace
}  // namespace weir::rpc
