// What must hold: states are registered once by name and kind, cut at one point, and come back the
// same whatever ranges they are read into.
#include <catch2/catch.hpp>

#include "tests/unit/common/state/keyed_samples.h"

namespace weir::state {
namespace {

constexpr uint32_t kGroups = 16;

std::vector<std::unique_ptr<SampleBackend>> Backends(uint32_t parallelism) {
  std::vector<std::unique_ptr<SampleBackend>> backends;
  for (uint32_t i = 0; i < parallelism; ++i) {
    backends.push_back(
        std::make_unique<SampleBackend>(RangeOfSubtask(i, parallelism, kGroups), kGroups));
  }
  return backends;
}

KeyedContents ContentsOf(const std::vector<std::unique_ptr<SampleBackend>>& backends) {
  KeyedContents all;
  for (const std::unique_ptr<SampleBackend>& backend : backends) all.merge(backend->Contents());
  return all;
}

std::vector<KeyedStateHandle> Write(const std::vector<std::unique_ptr<SampleBackend>>& backends) {
  std::vector<KeyedStateHandle> handles;
  for (const std::unique_ptr<SampleBackend>& backend : backends) {
    handles.push_back(*WriteToString(backend->backend));
  }
  return handles;
}

TEST_CASE("state survives 1 to 3 to 2 subtasks", "[state][unit]") {
  auto one = Backends(1);
  for (int64_t key = 0; key < 3000; ++key) one[0]->Add(key, base::MixBits(key) % 10'000);
  const KeyedContents before = ContentsOf(one);
  REQUIRE(before.size() > 3000);

  const StringInputs inputs;
  auto three = Backends(3);
  for (auto& backend : three) {
    const absl::Status restored = backend->backend.Restore(Write(one), inputs);
    INFO(restored.ToString());
    REQUIRE(restored.ok());
  }
  CHECK(ContentsOf(three) == before);

  auto two = Backends(2);
  for (auto& backend : two) REQUIRE(backend->backend.Restore(Write(three), inputs).ok());
  CHECK(ContentsOf(two) == before);
}

TEST_CASE("a restore opens only handles whose groups it owns", "[state][unit]") {
  auto four = Backends(4);
  for (int64_t key = 0; key < 100; ++key) four[0]->Add(key, 1);
  const StringInputs inputs;
  SampleBackend restored({0, 5}, kGroups);
  REQUIRE(restored.backend.Restore(Write(four), inputs).ok());
  CHECK(inputs.open_count() == 2);
}

TEST_CASE("a restore that needs more than the budget says so and gives it back", "[state][unit]") {
  auto one = Backends(1);
  for (int64_t key = 0; key < 50'000; ++key) one[0]->Add(key, 1);
  const std::vector<KeyedStateHandle> handles = Write(one);
  const StringInputs inputs;
  const auto budget = std::make_shared<MemoryBudget>(1 << 20);
  {
    SampleBackend restored({0, kGroups - 1}, kGroups, budget);
    const absl::Status refused = restored.backend.Restore(handles, inputs);
    CHECK(absl::IsResourceExhausted(refused));
    CHECK(refused.message().find("of at most 1 MiB") != absl::string_view::npos);
    // It stops soon after, not when everything is there.
    CHECK(budget->used() < one[0]->backend.BytesReserved());
  }
  CHECK(budget->used() == 0);
  const auto enough = std::make_shared<MemoryBudget>(64 << 20);
  SampleBackend restored({0, kGroups - 1}, kGroups, enough);
  CHECK(restored.backend.Restore(handles, inputs).ok());
}

TEST_CASE("a backend without states writes nothing", "[state][unit]") {
  KeyedBackend backend({0, kGroups - 1}, kGroups);
  StringOutput output;
  const KeyedStateHandle handle = *backend.Snapshot()->Write(output);
  CHECK(output.write_count() == 0);
  CHECK(handle.stream.size == 0);
  CHECK(handle.range.IsEmpty());
  const StringInputs inputs;
  CHECK(backend.Restore({handle}, inputs).ok());
  CHECK(inputs.open_count() == 0);
}

TEST_CASE("a snapshot is the state at its cut, written later", "[state][unit]") {
  auto one = Backends(1);
  for (int64_t key = 0; key < 500; ++key) one[0]->Add(key, 1000 + static_cast<uint64_t>(key));
  const KeyedContents before = ContentsOf(one);
  const std::unique_ptr<KeyedSnapshot> snapshot = one[0]->backend.Snapshot();
  for (int64_t key = 0; key < 800; ++key) one[0]->Add(key, 5);
  one[0]->counts->Drop(0);

  StringOutput output;
  const KeyedStateHandle handle = *snapshot->Write(output);
  CHECK(snapshot->Write(output).status().code() == absl::StatusCode::kFailedPrecondition);
  auto restored = Backends(1);
  REQUIRE(restored[0]->backend.Restore({handle}, StringInputs()).ok());
  CHECK(ContentsOf(restored) == before);
}

TEST_CASE("a full disk is the snapshot's error and gives its memory back", "[state][unit]") {
  auto one = Backends(1);
  for (int64_t key = 0; key < 500; ++key) one[0]->Add(key, 1);
  const std::unique_ptr<KeyedSnapshot> snapshot = one[0]->backend.Snapshot();
  StringOutput output;
  output.LimitTo(1000);
  CHECK(snapshot->Write(output).status().code() == absl::StatusCode::kResourceExhausted);
  one[0]->backend.memory().Reclaim(1);
  CHECK(one[0]->backend.memory().live_snapshot_count() == 0);
}

TEST_CASE("large states are written in large pieces and blocks of bounded size", "[state][unit]") {
  KeyedBackend backend({0, 0}, 1);
  StateTable* table = *backend.Register(WordsSpec());
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    table->SetBlob(*table->FindOrInsert({0, key}), 0, std::string(30'000 + i, 'x'));
  }
  table->SetBlob(*table->FindOrInsert({0, "large"}), 1, std::string(3'000'000, 'y'));
  StringOutput output;
  const KeyedStateHandle handle = *backend.Snapshot()->Write(output);
  CHECK(handle.stream.size > 6'000'000);
  CHECK(output.write_count() == handle.stream.size / (1 << 20) + 1);

  KeyedBackend restored({0, 0}, 1);
  table = *restored.Register(WordsSpec());
  REQUIRE(restored.Restore({handle}, StringInputs()).ok());
  CHECK(table->size() == 101);
  CHECK(table->GetBlob(*table->Find({0, "large"}), 1) == std::string(3'000'000, 'y'));
  CHECK(table->GetBlob(*table->Find({0, "77"}), 0) == std::string(30'077, 'x'));
}

TEST_CASE("a state is registered once by name and kind", "[state][unit]") {
  KeyedBackend backend({0, kGroups - 1}, kGroups);
  StateTable* words = *backend.Register(WordsSpec());
  CHECK(*backend.Register(WordsSpec()) == words);

  StateSpec other = WordsSpec();
  other.signature = "seen:double";
  CHECK(backend.Register(other).status().code() == absl::StatusCode::kAlreadyExists);
  other = WordsSpec();
  other.value.bytes = 32;
  CHECK(backend.Register(other).status().code() == absl::StatusCode::kAlreadyExists);
  CHECK(backend.RegisterNamespaced(WordsSpec()).status().code() ==
        absl::StatusCode::kAlreadyExists);
  other.kind = StateKind::kMap;
  CHECK(backend.Register(other).ok());
  other.name = "";
  CHECK(backend.Register(other).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(backend.state_count() == 2);
}

TEST_CASE("a backend takes 32767 states and not one more", "[state][unit]") {
  KeyedBackend backend({0, 0}, 1);
  StateSpec spec = CountSpec();
  bool is_taken = true;
  for (size_t i = 0; i < kStatesMax; ++i) {
    spec.name = std::to_string(i);
    is_taken &= backend.RegisterNamespaced(spec).ok();
  }
  CHECK(is_taken);
  spec.name = "one more";
  CHECK(backend.RegisterNamespaced(spec).status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(backend.state_count() == kStatesMax);
}

TEST_CASE("an incompatible state is refused with both descriptions", "[state][unit]") {
  KeyedBackend written({0, kGroups - 1}, kGroups);
  StateTable* table = *written.Register(WordsSpec());
  REQUIRE(table->FindOrInsert(KeyOf(table->shape(), "a")).ok());
  const KeyedStateHandle handle = *WriteToString(written);

  const auto restored_as = [&](const StateSpec& spec) {
    KeyedBackend backend({0, kGroups - 1}, kGroups);
    REQUIRE(backend.Register(spec).ok());
    return backend.Restore({handle}, StringInputs());
  };
  CHECK(restored_as(WordsSpec()).ok());
  StateSpec wider = WordsSpec();
  wider.key = KeyFormat::Bytes(32);
  CHECK(restored_as(wider).ok());

  StateSpec other = WordsSpec();
  other.signature = "seen:double";
  const absl::Status status = restored_as(other);
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  CHECK_THAT(std::string(status.message()),
             Catch::Contains("'words'") && Catch::Contains("INCOMPATIBLE") &&
                 Catch::Contains("seen:double") && Catch::Contains(WordsSpec().signature));
  other = WordsSpec();
  other.name = "wards";
  CHECK_THAT(std::string(restored_as(other).message()), Catch::Contains("not registered"));
  other = WordsSpec();
  other.key = KeyFormat::Fixed8();
  CHECK(restored_as(other).code() == absl::StatusCode::kFailedPrecondition);

  KeyedBackend namespaced({0, kGroups - 1}, kGroups);
  REQUIRE(namespaced.RegisterNamespaced(WordsSpec()).ok());
  CHECK(namespaced.Restore({handle}, StringInputs()).code() ==
        absl::StatusCode::kFailedPrecondition);
  KeyedBackend regrouped({0, 31}, 32);
  REQUIRE(regrouped.Register(WordsSpec()).ok());
  CHECK_THAT(std::string(regrouped.Restore({handle}, StringInputs()).message()),
             Catch::Contains("max_parallelism"));
}

}  // namespace
}  // namespace weir::state
