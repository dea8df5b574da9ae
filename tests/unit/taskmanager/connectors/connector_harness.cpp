#include "tests/unit/taskmanager/connectors/connector_harness.h"

#include <algorithm>
#include <unistd.h>

#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"
#include "taskmanager/connectors/source_driver.h"
#include "taskmanager/connectors/split.h"

namespace weir::connectors {

std::vector<Lists> DealLists(const std::vector<Lists>& all, uint32_t parallelism) {
  Lists gathered;
  for (const Lists& lists : all) {
    for (const auto& [name, list] : lists) {
      gathered[name].mode = list.mode;
      auto& elements = gathered[name].elements;
      elements.insert(elements.end(), list.elements.begin(), list.elements.end());
    }
  }
  std::vector<Lists> dealt(parallelism);
  for (const auto& [name, list] : gathered) {
    const size_t total = list.elements.size();
    size_t at = 0;
    for (uint32_t i = 0; i < parallelism; ++i) {
      const size_t count = total / parallelism + (i < total % parallelism ? 1 : 0);
      state::ListState& own = dealt[i][name];
      own.mode = list.mode;
      if (list.mode == state::ListMode::kUnion) {
        own.elements = list.elements;
      } else {
        own.elements.assign(list.elements.begin() + static_cast<ptrdiff_t>(at),
                            list.elements.begin() + static_cast<ptrdiff_t>(at + count));
      }
      at += count;
    }
  }
  return dealt;
}

bool AllFinished(const Lists& lists) {
  const std::vector<std::string>& elements = lists.at(kSplitsList).elements;
  return std::all_of(elements.begin(), elements.end(),
                     [](const std::string& bytes) { return DecodeSplit(bytes)->is_finished; });
}

void RestoreLists(const Lists& lists, state::OperatorState* into) {
  for (const auto& [name, list] : lists) {
    auto registered = into->Register(name, list.mode);
    REQUIRE(registered.ok());
    (*registered)->elements = list.elements;
  }
}

Subtask::Subtask(const SubtaskPlace& place, const base::Clock& clock, fs::FileSystem& files)
    : keyed_(state::RangeOfSubtask(place.subtask, place.parallelism, 128), 128),
      context_{.job = place.job,
               .attempt = {7, place.attempt + 1},
               .attempt_number = place.attempt,
               .node_id = "node",
               .subtask = place.subtask,
               .parallelism = place.parallelism,
               .max_parallelism = 128,
               .restored = place.restored,
               .keyed = keyed_,
               .lists = lists_,
               .metrics = metrics_,
               .clock = clock,
               .files = files} {
}

void RecordingSink::Emit(types::BatchPtr batch) {
  REQUIRE(batch != nullptr);
  ++batches;
  std::string text;
  types::MakeJsonEncoder(batch->schema_ptr(), types::WithOp::kNo)->Append(*batch, &text);
  for (const StringView line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    rows.emplace_back(line);
    events.emplace_back(line);
  }
  if (!batch->HasEventTimes()) return;
  for (const uint32_t row : batch->rows()) event_times.push_back(batch->event_times()[row]);
}

SourceRun::SourceRun(const operators::SourceOperator& source, const SubtaskPlace& place,
                     const base::Clock& clock, fs::FileSystem& files, const Lists& restored)
    : source_(source), subtask_(place, clock, files) {
  auto state = source_.NewState(subtask_.context());
  REQUIRE(state.ok());
  state_ = *std::move(state);
  RestoreLists(restored, &subtask_.lists());
  opened_ = source_.Open(*state_);
}

absl::Status SourceRun::PollToEnd() {
  for (;;) {
    const absl::StatusOr<operators::PollResult> polled = Poll();
    if (!polled.ok()) return polled.status();
    if (polled->verdict != operators::PollVerdict::kMore) return absl::OkStatus();
  }
}

Lists SourceRun::Snapshot() {
  std::vector<absl::AnyInvocable<absl::Status()>> parts;
  REQUIRE(source_.Snapshot({.id = CheckpointId{1}, .options = {}, .async_parts = &parts}, *state_)
              .ok());
  return subtask_.lists().Snapshot().lists();
}

std::shared_ptr<const expr::BoundExpr> ColumnExpr(size_t column) {
  expr::BoundExpr::Parts parts;
  parts.kind = expr::ExprKind::kColumn;
  parts.type = types::kTimestampType;
  parts.column = column;
  return std::make_shared<const expr::BoundExpr>(std::move(parts));
}

uint64_t TestSeed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  uint64_t seed = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &seed)) return seed;
  return base::EntropySeed();
}

TemporaryDirectory::TemporaryDirectory() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base == nullptr ? "/tmp" : base) + "/weir-test-XXXXXX";
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  fs::LocalFileSystem files;
  // What cannot be removed stays for whoever looks into the directory.
  (void)files.RemoveTree(path_);
}

void WriteFile(fs::FileSystem& files, const std::string& path, StringView bytes) {
  auto file = files.Create(path);
  INFO(file.status().ToString());
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(bytes).ok());
  REQUIRE((*file)->Sync().ok());
  REQUIRE((*file)->Close().ok());
}

std::string ReadFile(fs::FileSystem& files, const std::string& path) {
  auto bytes = fs::ReadWholeFile(files, path, 1u << 30);
  INFO(bytes.status().ToString());
  REQUIRE(bytes.ok());
  return *bytes;
}

}  // namespace weir::connectors
