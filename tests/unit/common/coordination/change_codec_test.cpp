// What must hold: changes come back as they were written; any other bytes are DATA_LOSS and never a
// crash or a large allocation.
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/coordination/file/coordination_state.h"

namespace weir::coordination {
namespace {

std::vector<Change> OneOfEach() {
  StoredJob job{.id = {1, 2},
                .name = "job",
                .request_id = "once",
                .submitted_at = absl::FromUnixMicros(77),
                .parallelism = 3};
  job.source = {.file_name = "a.yaml",
                .text = "weir: 1",
                .variables = {{"A", "1"}, {"B", ""}},
                .parallelism = absl::nullopt,
                .max_parallelism = 128};
  const EndedJob ended{.id = {3, 4},
                       .name = "ended",
                       .end = JobEnd::kFailed,
                       .submitted_at = absl::FromUnixMicros(1),
                       .started_at = absl::InfinitePast(),
                       .ended_at = absl::FromUnixMicros(2),
                       .last_checkpoint = CheckpointId{9},
                       .parallelism = 1,
                       .tasks = 2,
                       .restarts = 3,
                       .message = "why"};
  return {JobPut{job}, JobCancelled{job.id}, ResultPut{ended}, CounterSet{{1, 2}, 65},
          CheckpointsSet{{1, 2}, {{CheckpointId{3}, "/a"}, {CheckpointId{5}, "/b"}}}};
}

TEST_CASE("Changes come back as they were written", "[coordination][unit]") {
  std::vector<Change> changes = OneOfEach();
  changes.insert(changes.begin(), LeaderBegins{"process 1"});
  const auto decoded = DecodeChanges(EncodeChanges(changes));
  REQUIRE(decoded.ok());
  CHECK(decoded->size() == changes.size());
  CHECK(EncodeChanges(*decoded) == EncodeChanges(changes));
  CoordinationState state;
  for (const Change& change : *decoded) state.Apply(change);
  StoredJob job = std::get<JobPut>(OneOfEach()[0]).job;
  job.is_cancelled = true;
  CHECK(state.jobs().at({1, 2}) == job);
  CHECK(state.results().at({3, 4}) == std::get<ResultPut>(OneOfEach()[2]).job);
  CHECK(state.NextId({1, 2}) == 65);
  CHECK(state.Checkpoints({1, 2}).size() == 2);
  CHECK(EncodeChanges(state.All()) == EncodeChanges(OneOfEach()));
}

TEST_CASE("Removals undo what was put", "[coordination][unit]") {
  CoordinationState state;
  for (const Change& change : OneOfEach()) state.Apply(change);
  for (const Change& change :
       std::vector<Change>{JobRemoved{{1, 2}}, JobCancelled{{1, 2}}, ResultRemoved{{3, 4}},
                           CounterRemoved{{1, 2}}, CheckpointsSet{{1, 2}, {}}}) {
    state.Apply(*DecodeChanges(EncodeChanges({change}))->begin());
  }
  CHECK(state.All().empty());
  CHECK(state.NextId({1, 2}) == 1);
}

TEST_CASE("Cut, changed and random records are refused or read, never more",
          "[coordination][unit]") {
  const uint64_t seed = base::EntropySeed();
  CAPTURE(seed);
  base::Random random(seed);
  const std::string whole = EncodeChanges(OneOfEach());
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto decoded = DecodeChanges(StringView(whole).substr(0, size));
    if (!decoded.ok()) CHECK(absl::IsDataLoss(decoded.status()));
  }
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (uint64_t n = random.Below(4) + 1; n > 0; --n) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    const auto decoded = DecodeChanges(bytes);
    if (!decoded.ok()) REQUIRE(absl::IsDataLoss(decoded.status()));
  }
}

}  // namespace
}  // namespace weir::coordination
