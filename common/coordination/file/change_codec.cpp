// The bytes of changes (docs/formats/coordination_log.md): a tag, then the fields of that change.
#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/coordination/file/coordination_state.h"
#include "common/io/byte_cursor.h"

namespace weir::coordination {
namespace {

using io::ByteReader;
using io::ByteWriter;

// Stored for ever: a tag keeps its meaning.
enum class Tag : uint8_t {
  kLeaderBegins = 1,
  kJobPut = 2,
  kJobRemoved = 3,
  kResultPut = 4,
  kResultRemoved = 5,
  kCounterSet = 6,
  kCounterRemoved = 7,
  kCheckpointsSet = 8,
  kJobCancelled = 9,
};

// A time that is "never", at either end.
constexpr int64_t kNeverUs = INT64_MIN;

class ChangeWriter {
 public:
  explicit ChangeWriter(std::string& out) : writer_(out) {}

  void operator()(const LeaderBegins& begins) {
    Begin(Tag::kLeaderBegins);
    writer_.Sized(begins.holder);
  }
  void operator()(const JobPut& put) {
    Begin(Tag::kJobPut);
    const StoredJob& job = put.job;
    Id(job.id);
    writer_.Sized(job.name);
    writer_.Sized(job.request_id);
    Time(job.submitted_at);
    writer_.Fixed(job.parallelism);
    writer_.Sized(job.source.file_name);
    writer_.Sized(job.source.text);
    writer_.Fixed(static_cast<uint32_t>(job.source.variables.size()));
    for (const auto& [name, value] : job.source.variables) {
      writer_.Sized(name);
      writer_.Sized(value);
    }
    Optional(job.source.parallelism);
    Optional(job.source.max_parallelism);
  }
  void operator()(const JobRemoved& removed) {
    Begin(Tag::kJobRemoved);
    Id(removed.job);
  }
  void operator()(const ResultPut& put) {
    Begin(Tag::kResultPut);
    const EndedJob& job = put.job;
    Id(job.id);
    writer_.Sized(job.name);
    writer_.Sized(job.request_id);
    writer_.Fixed(static_cast<uint8_t>(job.end));
    Time(job.submitted_at);
    Time(job.started_at);
    Time(job.ended_at);
    writer_.Fixed(ToInt(job.last_checkpoint));
    writer_.Fixed(job.parallelism);
    writer_.Fixed(job.tasks);
    writer_.Fixed(job.restarts);
    writer_.Sized(job.message);
  }
  void operator()(const ResultRemoved& removed) {
    Begin(Tag::kResultRemoved);
    Id(removed.job);
  }
  void operator()(const CounterSet& set) {
    Begin(Tag::kCounterSet);
    Id(set.job);
    writer_.Fixed(set.next);
  }
  void operator()(const CounterRemoved& removed) {
    Begin(Tag::kCounterRemoved);
    Id(removed.job);
  }
  void operator()(const CheckpointsSet& set) {
    Begin(Tag::kCheckpointsSet);
    Id(set.job);
    writer_.Fixed(static_cast<uint32_t>(set.listed.size()));
    for (const ListedCheckpoint& one : set.listed) {
      writer_.Fixed(ToInt(one.id));
      writer_.Sized(one.location);
    }
  }
  void operator()(const JobCancelled& cancelled) {
    Begin(Tag::kJobCancelled);
    Id(cancelled.job);
  }

 private:
  void Begin(Tag tag) { writer_.Fixed(static_cast<uint8_t>(tag)); }
  void Id(JobId id) {
    writer_.Fixed(id.high);
    writer_.Fixed(id.low);
  }
  void Time(absl::Time time) {
    const bool is_never = time == absl::InfinitePast() || time == absl::InfiniteFuture();
    writer_.Fixed(is_never ? kNeverUs : absl::ToUnixMicros(time));
  }
  void Optional(const absl::optional<int64_t>& number) {
    writer_.Fixed(static_cast<uint8_t>(number.has_value() ? 1 : 0));
    writer_.Fixed(number.value_or(0));
  }

  ByteWriter writer_;
};

// Reads fields one after the other; after the first that does not fit everything reads as empty.
class ChangeReader {
 public:
  explicit ChangeReader(StringView bytes) : reader_(bytes) {}

  bool AtEnd() const { return !status_.ok() || reader_.remaining() == 0; }
  const absl::Status& status() const { return status_; }

  Change Next() {
    switch (static_cast<Tag>(Number<uint8_t>())) {
      case Tag::kLeaderBegins:
        return LeaderBegins{Text()};
      case Tag::kJobPut:
        return JobPut{Job()};
      case Tag::kJobRemoved:
        return JobRemoved{Id()};
      case Tag::kResultPut:
        return ResultPut{Result()};
      case Tag::kResultRemoved:
        return ResultRemoved{Id()};
      case Tag::kCounterSet:
        return Counter();
      case Tag::kCounterRemoved:
        return CounterRemoved{Id()};
      case Tag::kCheckpointsSet:
        return Checkpoints();
      case Tag::kJobCancelled:
        return JobCancelled{Id()};
    }
    Fail("a change of an unknown kind");
    return LeaderBegins{};
  }

 private:
  void Fail(StringView what) {
    if (status_.ok()) status_ = absl::DataLossError(absl::StrCat("a record holds ", what));
  }

  template <class T>
  T Number() {
    T value{};
    if (status_.ok()) status_ = reader_.Fixed(&value);
    return status_.ok() ? value : T{};
  }
  std::string Text() {
    StringView view;
    if (status_.ok()) status_ = reader_.Sized(&view);
    return status_.ok() ? std::string(view) : std::string();
  }
  JobId Id() {
    const auto high = Number<uint64_t>();
    return JobId{high, Number<uint64_t>()};
  }
  absl::Time Time(absl::Time never) {
    const auto us = Number<int64_t>();
    return us == kNeverUs ? never : absl::FromUnixMicros(us);
  }
  absl::optional<int64_t> Optional() {
    const bool is_set = Number<uint8_t>() != 0;
    const auto value = Number<int64_t>();
    return is_set ? absl::make_optional(value) : absl::nullopt;
  }
  CheckpointId Checkpoint() {
    const auto id = Number<int64_t>();
    if (id < 0) Fail("a negative checkpoint id");
    return CheckpointId{std::max<int64_t>(id, 0)};
  }

  StoredJob Job() {
    StoredJob job;
    job.id = Id();
    job.name = Text();
    job.request_id = Text();
    job.submitted_at = Time(absl::InfinitePast());
    job.parallelism = Number<uint32_t>();
    job.source.file_name = Text();
    job.source.text = Text();
    // Every round reads bytes, so that a large count ends with the record.
    for (auto left = Number<uint32_t>(); left > 0 && status_.ok(); --left) {
      std::string name = Text();
      job.source.variables[std::move(name)] = Text();
    }
    job.source.parallelism = Optional();
    job.source.max_parallelism = Optional();
    return job;
  }

  EndedJob Result() {
    EndedJob job;
    job.id = Id();
    job.name = Text();
    job.request_id = Text();
    const auto end = Number<uint8_t>();
    if (end >= static_cast<uint8_t>(JobEnd::kSuspended)) Fail("an unknown end of a job");
    job.end = static_cast<JobEnd>(end);
    job.submitted_at = Time(absl::InfinitePast());
    job.started_at = Time(absl::InfinitePast());
    job.ended_at = Time(absl::InfiniteFuture());
    job.last_checkpoint = Checkpoint();
    job.parallelism = Number<uint32_t>();
    job.tasks = Number<uint32_t>();
    job.restarts = Number<int64_t>();
    job.message = Text();
    return job;
  }

  CounterSet Counter() {
    CounterSet set{Id(), Number<int64_t>()};
    if (set.next < 1) Fail("a checkpoint counter below 1");
    return set;
  }

  CheckpointsSet Checkpoints() {
    CheckpointsSet set{.job = Id(), .listed = {}};
    for (auto left = Number<uint32_t>(); left > 0 && status_.ok(); --left) {
      ListedCheckpoint one{.id = Checkpoint(), .location = {}};
      one.location = Text();
      const bool rises = set.listed.empty() || set.listed.back().id < one.id;
      if (!rises || one.id == kNoCheckpoint) Fail("a checkpoint list that does not rise");
      set.listed.push_back(std::move(one));
    }
    return set;
  }

  ByteReader reader_;
  absl::Status status_;
};

}  // namespace

std::string EncodeChanges(const std::vector<Change>& changes) {
  std::string payload;
  ChangeWriter writer(payload);
  for (const Change& change : changes) std::visit(writer, change);
  return payload;
}

absl::StatusOr<std::vector<Change>> DecodeChanges(StringView payload) {
  ChangeReader reader(payload);
  std::vector<Change> changes;
  while (!reader.AtEnd()) changes.push_back(reader.Next());
  if (!reader.status().ok()) return reader.status();
  return changes;
}

}  // namespace weir::coordination
