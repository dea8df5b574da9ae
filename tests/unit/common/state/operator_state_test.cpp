// What must hold: list state comes back element by element as it was dealt out, and no damage
// passes.
#include "common/state/operator_state.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/unit/common/state/golden_file.h"
#include "tests/unit/common/state/string_streams.h"

namespace weir::state {
namespace {

OperatorStateHandle WriteToString(const OperatorState& state) {
  StringOutput output;
  return *state.Snapshot().Write(output);
}

OperatorState SampleState() {
  OperatorState state;
  (*state.Register("offsets", ListMode::kSplitEven))->elements = {"one", "", "three"};
  (*state.Register("seen", ListMode::kUnion))->elements = {std::string(3000, 'u')};
  (*state.Register("rules", ListMode::kBroadcast))->elements = {"a", "b"};
  return state;
}

TEST_CASE("lists come back with their modes and elements", "[state][unit]") {
  const OperatorState state = SampleState();
  const OperatorStateHandle handle = WriteToString(state);
  CHECK(handle.lists.at("offsets").offsets.size() == 3);
  CHECK(handle.lists.at("seen").mode == ListMode::kUnion);

  OperatorState restored;
  REQUIRE(restored.Restore({handle}, StringInputs()).ok());
  CHECK(restored.Snapshot().lists() == state.Snapshot().lists());
  CHECK((*restored.Register("offsets", ListMode::kSplitEven))->elements[2] == "three");
  CHECK(restored.UnregisteredLists() == std::vector<std::string>{"rules", "seen"});
}

TEST_CASE("the golden list state of version 1 is what is written and read", "[state][unit]") {
  const OperatorState state = SampleState();
  OperatorStateHandle handle = WriteToString(state);
  const std::string golden = GoldenFile("operator_state_v1.bin", handle.stream.inline_bytes);
  CHECK((golden == handle.stream.inline_bytes));
  handle.stream.inline_bytes = golden;
  OperatorState restored;
  REQUIRE(restored.Restore({handle}, StringInputs()).ok());
  CHECK(restored.Snapshot().lists() == state.Snapshot().lists());
}

TEST_CASE("dealt-out elements are read in the order given", "[state][unit]") {
  OperatorStateHandle first = WriteToString(SampleState());
  OperatorStateHandle second = first;
  first.lists.at("offsets").offsets.erase(first.lists.at("offsets").offsets.begin());
  std::swap(second.lists.at("offsets").offsets[0], second.lists.at("offsets").offsets[2]);
  OperatorState restored;
  REQUIRE((*restored.Register("offsets", ListMode::kSplitEven))->elements.empty());
  REQUIRE(restored.Restore({first, second}, StringInputs()).ok());
  CHECK((*restored.Register("offsets", ListMode::kSplitEven))->elements ==
        std::vector<std::string>{"", "three", "three", "", "one"});
}

TEST_CASE("a snapshot is a deep copy", "[state][unit]") {
  OperatorState state = SampleState();
  const OperatorSnapshot snapshot = state.Snapshot();
  (*state.Register("offsets", ListMode::kSplitEven))->elements[0] = "changed";
  CHECK(snapshot.lists().at("offsets").elements[0] == "one");
}

TEST_CASE("without elements nothing is written", "[state][unit]") {
  OperatorState state;
  CHECK(WriteToString(state).stream.size == 0);
  REQUIRE(state.Register("empty", ListMode::kUnion).ok());
  const OperatorStateHandle handle = WriteToString(state);
  CHECK(handle.stream.size == 0);
  OperatorState restored;
  const StringInputs inputs;
  REQUIRE(restored.Restore({handle}, inputs).ok());
  CHECK(inputs.open_count() == 0);
  CHECK(restored.UnregisteredLists() == std::vector<std::string>{"empty"});
}

TEST_CASE("a list has one mode", "[state][unit]") {
  OperatorState state = SampleState();
  CHECK(state.Register("seen", ListMode::kUnion).ok());
  CHECK(state.Register("seen", ListMode::kBroadcast).status().code() ==
        absl::StatusCode::kAlreadyExists);
  CHECK(state.Register("", ListMode::kUnion).status().code() == absl::StatusCode::kInvalidArgument);
  OperatorState other;
  REQUIRE(other.Register("seen", ListMode::kBroadcast).ok());
  CHECK(other.Restore({WriteToString(state)}, StringInputs()).code() ==
        absl::StatusCode::kFailedPrecondition);
  OperatorState late;
  REQUIRE(late.Restore({WriteToString(state)}, StringInputs()).ok());
  CHECK(late.Register("seen", ListMode::kBroadcast).status().code() ==
        absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("a flipped bit or a missing byte of list state is found", "[state][unit]") {
  const OperatorStateHandle handle = WriteToString(SampleState());
  const std::string good = handle.stream.inline_bytes;
  OperatorStateHandle damaged = handle;
  for (size_t at = 0; at < good.size(); ++at) {
    damaged.stream.inline_bytes = good;
    damaged.stream.inline_bytes[at] = static_cast<char>(good[at] ^ (1 << at % 8));
    OperatorState restored;
    if (!absl::IsDataLoss(restored.Restore({damaged}, StringInputs()))) FAIL("flipped at " << at);
    damaged.stream.inline_bytes = good.substr(0, at);
    OperatorState cut;
    if (!absl::IsDataLoss(cut.Restore({damaged}, StringInputs()))) FAIL("cut at " << at);
  }
  SUCCEED();
}

TEST_CASE("damaged list state is named by stream, list and element", "[state][unit]") {
  OperatorStateHandle handle = WriteToString(SampleState());
  const uint64_t offset = handle.lists.at("offsets").offsets[2];
  handle.stream.inline_bytes[offset + 17] ^= 1;
  handle.stream.path = "chk-3/xyz";
  OperatorState restored;
  CHECK_THAT(std::string(restored.Restore({handle}, StringInputs()).message()),
             Catch::Contains("chk-3/xyz") && Catch::Contains("'offsets'") &&
                 Catch::Contains(std::to_string(offset)));
}

}  // namespace
}  // namespace weir::state
