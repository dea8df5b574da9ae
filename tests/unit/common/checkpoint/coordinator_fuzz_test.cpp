// Random facts in random order against the coordinator, judged from outside by what it asks for.
//
// Oracle, apart from the code: a checkpoint is told complete only after the store said so and only
// to attempts that acknowledged it; nothing of a stored or possibly stored id is ever deleted;
// completed ids answer duplicates; every location made is either stored, removed or in doubt; every
// request is answered once; pending ids stay within max_concurrent and the forced ones.
#include <cstdlib>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/common/checkpoint/coordinator_harness.h"

namespace weir::checkpoint {
namespace {

class Judge {
 public:
  Judge(CoordinatorHarness& harness, base::Random& random) : harness_(harness), random_(random) {}

  // Looks at what was asked for since the last call.
  void Look() {
    for (const Action& action : harness_.done) std::visit([this](const auto& a) { On(a); }, action);
    harness_.Forget();
  }
  void OnAcked(int64_t id, AttemptId attempt) { acked_[id].insert(attempt); }
  // Answers one outstanding store call, truly or with "unknown".
  void AnswerStore() {
    if (storing_.empty()) return;
    auto it = storing_.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(random_.Below(storing_.size())));
    const int64_t id = it->first;
    if (!it->second.has_value()) it->second = !random_.OneIn(4);
    if (random_.OneIn(5)) {
      harness_.Store(id, StoreOutcome::kUnknown);
      return;
    }
    const bool stored = *it->second;
    storing_.erase(it);
    if (stored) stored_.insert(id);
    harness_.Store(id, stored ? StoreOutcome::kStored : StoreOutcome::kRefused);
  }
  bool IsStoring() const { return !storing_.empty(); }

  void CheckEnd(uint64_t requests) {
    for (uint64_t token = 1; token <= requests; ++token) CHECK(answers_[token] == 1);
    for (const int64_t id : made_) {
      INFO("id " << id);
      CHECK((removed_.contains(id) || kept_.contains(id)));
    }
  }
  void OnFetched(int64_t id) { made_.insert(id); }
  const std::set<int64_t>& stored() const { return stored_; }

 private:
  template <class T>
  void On(const T&) {}
  void On(const SendTrigger& a) { CHECK_FALSE(removed_.contains(ToInt(a.barrier.id))); }
  void On(const WriteMetadataAndStore& a) {
    const int64_t id = ToInt(a.metadata.id);
    CHECK_FALSE(removed_.contains(id));
    CHECK(storing_.emplace(id, std::nullopt).second);
    kept_.insert(id);
  }
  void On(const NotifyComplete& a) {
    CHECK(stored_.contains(ToInt(a.id)));
    CHECK(acked_[ToInt(a.id)].contains(a.attempt));
  }
  void On(const NotifyAborted& a) { CHECK_FALSE(stored_.contains(ToInt(a.id))); }
  void On(const RemoveLocation& a) {
    const int64_t id = ToInt(a.id);
    CHECK_FALSE(stored_.contains(id));
    CHECK_FALSE(storing_.contains(id));
    CHECK(removed_.insert(id).second);
    kept_.erase(id);
  }
  void On(const DiscardState& a) { CHECK(removed_.contains(ToInt(a.id))); }
  void On(const RequestEnded& a) { ++answers_[static_cast<uint64_t>(a.token)]; }
  void On(const Quiesced&) { CHECK(harness_.core.pending_count() == 0); }

  CoordinatorHarness& harness_;
  base::Random& random_;
  std::map<int64_t, std::set<AttemptId>> acked_;
  std::map<int64_t, std::optional<bool>> storing_;  // id -> what really became of it
  std::set<int64_t> stored_;
  std::set<int64_t> kept_;  // handed to the store
  std::set<int64_t> removed_;
  std::set<int64_t> made_;
  std::map<uint64_t, int> answers_;
};

class Run {
 public:
  explicit Run(uint64_t seed)
      : random_(seed), harness_(ChainJob({2, 2, 1}), Settings()), judge_(harness_, random_) {
    harness_.fetch_by_itself = false;
    harness_.Deploy();
    harness_.Do(harness_.core.OnJobRunning(harness_.now()));
  }

  size_t Play() {
    for (int step = 0; step < 400; ++step) {
      Step();
      judge_.Look();
    }
    harness_.Do(harness_.core.OnShutdown(ShutdownReason::kJobEnded, harness_.now()));
    for (int i = 0; i < 1000 && (judge_.IsStoring() || fetches_ > 0); ++i) {
      judge_.Look();
      AnswerFetch();
      judge_.AnswerStore();
      CountFetches();
    }
    judge_.Look();
    judge_.CheckEnd(requests_);
    return judge_.stored().size();
  }

 private:
  CoordinatorSettings Settings() {
    CoordinatorSettings settings;
    settings.interval = absl::Milliseconds(random_.Between(10, 100));
    settings.min_pause = absl::Milliseconds(random_.Below(50));
    settings.timeout = absl::Milliseconds(random_.Between(50, 500));
    settings.max_concurrent = static_cast<uint32_t>(random_.Between(1, 4));
    settings.tolerable_failures = kTolerableFailuresUnlimited;
    return settings;
  }
  void CountFetches() { fetches_ += harness_.Count<FetchId>(); }
  void AnswerFetch() {
    if (fetches_ == 0) return;
    --fetches_;
    if (random_.OneIn(10)) {
      harness_.Do(harness_.core.OnIdFetchFailed(absl::UnavailableError("x"), harness_.now()));
      return;
    }
    judge_.OnFetched(harness_.next_id);
    harness_.AnswerFetch();
  }
  AttemptId AnyAttempt(uint32_t* vertex, uint32_t* subtask) {
    *vertex = static_cast<uint32_t>(random_.Below(3));
    *subtask = *vertex == 2 ? 0 : static_cast<uint32_t>(random_.Below(2));
    return harness_.Attempt(*vertex, *subtask);
  }
  int64_t RecentId() { return std::max<int64_t>(1, harness_.next_id - random_.Between(0, 4)); }

  void Step() {
    uint32_t vertex = 0;
    uint32_t subtask = 0;
    const AttemptId attempt = AnyAttempt(&vertex, &subtask);
    switch (random_.Below(24)) {
      case 0:
        harness_.Request(++requests_, random_.OneIn(3) ? CheckpointKind::kSavepoint
                                                       : CheckpointKind::kCheckpoint);
        break;
      case 1:
        harness_.Advance(absl::Milliseconds(random_.Below(60)));
        break;
      case 2:
        if (random_.OneIn(3)) harness_.Decline(vertex, RecentId());
        break;
      case 3:
        if (random_.OneIn(20)) Restart();
        break;
      case 4:
        if (random_.OneIn(20)) {
          harness_.Do(harness_.core.OnTaskState(attempt, TaskState::kFinished, harness_.now()));
        }
        break;
      case 5:
        if (random_.OneIn(10)) harness_.Do(harness_.core.OnEndOfData(attempt, harness_.now()));
        break;
      case 6:
        if (random_.OneIn(10)) {
          harness_.Do(harness_.core.OnTriggerFailed(attempt, CheckpointId{RecentId()},
                                                    absl::NotFoundError("x"), harness_.now()));
        }
        break;
      case 7:
      case 8:
        AnswerFetch();
        break;
      case 9:
      case 10:
        judge_.AnswerStore();
        break;
      default:
        Ack(vertex, subtask, attempt);
        break;
    }
    CountFetches();
  }

  void Ack(uint32_t vertex, uint32_t subtask, AttemptId attempt) {
    const int64_t id = RecentId();
    // Told before, for the answer may notify at once.
    AckFacts ack = harness_.MakeAck(vertex, id, subtask);
    AckOutcome outcome = harness_.core.OnAck(std::move(ack), harness_.now());
    if (outcome.result == AckResult::kSuccess) judge_.OnAcked(id, attempt);
    if (judge_.stored().contains(id)) CHECK(outcome.result != AckResult::kDiscarded);
    harness_.Do(std::move(outcome.actions));
  }

  void Restart() {
    harness_.Do(harness_.core.OnRestart("fuzz", harness_.now()));
    while (harness_.core.pending_count() > 0) {
      CountFetches();
      judge_.Look();
      judge_.AnswerStore();
    }
    CountFetches();
    judge_.Look();
    harness_.Deploy();
  }

  base::Random random_;
  CoordinatorHarness harness_;
  Judge judge_;
  uint64_t requests_ = 0;
  uint64_t fetches_ = 0;
};

TEST_CASE("Whatever happens, only what is stored is told complete and nothing stored is deleted",
          "[checkpoint][unit]") {
  const char* const given = getenv("WEIR_TEST_SEED");
  const uint64_t first = given == nullptr ? base::EntropySeed() : strtoull(given, nullptr, 10);
  size_t stored = 0;
  for (uint64_t seed = first; seed < first + 500; ++seed) {
    CAPTURE(seed);
    stored += Run(seed).Play();
  }
  CHECK(stored > 500);
}

}  // namespace
}  // namespace weir::checkpoint
