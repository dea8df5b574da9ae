// What must hold: however a file is cut into ranges, each of its rows is read exactly once, and a
// row that cannot be read fails the source or is counted, as asked.
#include "taskmanager/connectors/file_source.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include "taskmanager/connectors/file_splits.h"
#include "tests/unit/taskmanager/connectors/source_file.h"

namespace weir::connectors {
namespace {

constexpr int kFuzzRuns = 150;

// All rows of ranges that begin at `begins` (the first one where rows begin), read by one reader.
Rows ReadRanges(testing::FaultyFs* files, const graph::FormatSpec& format,
                const types::SchemaPtr& schema, const std::vector<uint64_t>& begins,
                size_t rows_max) {
  const FileHead head = *ReadFileHead(*files, kPath);
  std::vector<Split> splits;
  for (size_t i = 0; i < begins.size(); ++i) {
    FileRange range;
    range.begin = begins[i];
    range.end = i + 1 < begins.size() ? begins[i + 1] : head.identity.size;
    range.begins_at_row = i == 0 || format.kind == graph::FormatKind::kCsv;
    range.identity = head.identity;
    splits.emplace_back().detail = EncodeFileRange(range);
  }
  const auto source = MakeFileSource({.path = kPath}, format, schema);
  const auto reader = *source->NewReader(*files, splits);
  RecordingSink out;
  while (std::any_of(splits.begin(), splits.end(), [](const Split& s) { return !s.is_finished; })) {
    ReadRows rows;
    REQUIRE(reader->Read(rows_max, &splits, &rows).ok());
    CHECK(rows.bad_rows == 0);
    if (rows.batch != nullptr) out.Emit(rows.batch);
  }
  return out.rows;
}

std::string RandomLines(base::Random* random, Rows* rows) {
  std::string text;
  const uint64_t count = random->Below(12);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string line(random->Below(9), static_cast<char>('a' + i % 26));
    rows->push_back(absl::StrCat("{\"line\":\"", line, "\"}"));
    const bool is_open = i + 1 == count && !line.empty() && random->OneIn(2);
    absl::StrAppend(&text, line, is_open ? "" : random->OneIn(3) ? "\r\n" : "\n");
  }
  return text;
}

}  // namespace

TEST_CASE("Any cuts give each line exactly once", "[connectors][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (int run = 0; run < kFuzzRuns; ++run) {
    Rows expected;
    const std::string text = RandomLines(&random, &expected);
    testing::FaultyFs files;
    PutFile(&files, text);
    if (text.empty()) continue;
    std::vector<uint64_t> begins = {0};
    for (uint64_t at = 1; at < text.size(); ++at) {
      if (random.OneIn(4)) begins.push_back(at);
    }
    CAPTURE(text, absl::StrJoin(begins, ","));
    CHECK(ReadRanges(&files, {}, LineSchema(), begins, 1 + random.Below(4)) == expected);
  }
}

TEST_CASE("Every single cut gives each line exactly once", "[connectors][unit]") {
  const std::string text = "one\n\ntwo\r\nthree\n\n\nend";
  testing::FaultyFs files;
  PutFile(&files, text);
  const Rows expected = ReadRanges(&files, {}, LineSchema(), {0}, 1024);
  REQUIRE(expected.size() == 7);
  for (uint64_t cut = 1; cut < text.size(); ++cut) {
    CAPTURE(cut);
    CHECK(ReadRanges(&files, {}, LineSchema(), {0, cut}, 1024) == expected);
  }
}

TEST_CASE("A large file is read by several subtasks, also after restores", "[connectors][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  std::string text;
  std::vector<std::string> expected;
  while (text.size() < 5 * kFileSplitBytesMin) {
    const std::string line = absl::StrCat(expected.size(), std::string(random.Below(3000), 'x'));
    absl::StrAppend(&text, line, "\n");
    expected.push_back(absl::StrCat("{\"line\":\"", line, "\"}"));
  }
  testing::FaultyFs files;
  PutFile(&files, text);
  const auto source = Source({}, LineSchema());
  testing::ManualClock clock;
  Rows rows;
  std::vector<Lists> lists(1);
  CheckpointId restored = kNoCheckpoint;
  for (int round = 0;; ++round) {
    const uint32_t parallelism = static_cast<uint32_t>(1 + random.Below(4));
    lists = DealLists(lists, parallelism);
    bool all_finished = true;
    std::vector<Lists> next;
    for (uint32_t i = 0; i < parallelism; ++i) {
      SourceRun run(*source, {.subtask = i, .parallelism = parallelism, .restored = restored},
                    clock, files, lists[i]);
      REQUIRE(run.opened().ok());
      for (uint64_t polls = random.Below(4); polls > 0; --polls) {
        const auto polled = run.Poll();
        REQUIRE(polled.ok());
        if (polled->verdict == operators::PollVerdict::kFinished) break;
      }
      next.push_back(run.Snapshot());
      rows.insert(rows.end(), run.out().rows.begin(), run.out().rows.end());
      all_finished = all_finished && AllFinished(next.back());
    }
    if (all_finished) break;
    lists = next;
    restored = CheckpointId{round + 1};
  }
  std::sort(rows.begin(), rows.end());
  std::sort(expected.begin(), expected.end());
  CHECK((rows == expected));
}

TEST_CASE("A csv file is cut where records begin", "[connectors][unit]") {
  std::string text = "a,b\r\n";
  size_t count = 0;
  while (text.size() < 4 * kFileSplitBytesMin) {
    absl::StrAppend(&text, count++, ",\"", std::string(700, '\n'), "x\"\"y,\n\"\n");
  }
  testing::FaultyFs files;
  PutFile(&files, text);
  const graph::FormatSpec format{.kind = graph::FormatKind::kCsv, .header = true};
  const auto splits = MakeFileSplits(files, kPath, format);
  REQUIRE(splits.ok());
  REQUIRE(splits->size() == 4);
  for (const Split& split : *splits) {
    const FileRange range = *DecodeFileRange(split.detail);
    CHECK(range.begins_at_row);
    CHECK(text[range.begin - 1] == '\n');
    CHECK(text[range.begin - 2] == (split.detail == splits->front().detail ? '\r' : '"'));
  }
  const Rows rows = ReadAll(&files, *Source(format, PairSchema()));
  REQUIRE(rows.size() == count);
  CHECK(rows.back().rfind(absl::StrCat("{\"a\":", count - 1, ",\"b\":\"\\n"), 0) == 0);
}

TEST_CASE("A csv header names the columns, behind a byte order mark", "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files,
          "\xEF\xBB\xBF"
          "b,a\n\"x\ny\",1\n,2\n");
  const graph::FormatSpec format{.kind = graph::FormatKind::kCsv, .header = true};
  CHECK(ReadAll(&files, *Source(format, PairSchema())) ==
        Rows{R"({"a":1,"b":"x\ny"})", R"({"a":2,"b":null})"});
}

TEST_CASE("A csv file that is a header alone has no rows", "[connectors][unit]") {
  for (const char* text : {"a,b", "a,b\n", "a,b\r\n"}) {
    testing::FaultyFs files;
    PutFile(&files, text);
    const graph::FormatSpec format{.kind = graph::FormatKind::kCsv, .header = true};
    CHECK(ReadAll(&files, *Source(format, PairSchema())).empty());
  }
}

TEST_CASE("A csv file without the header that it must have is an error", "[connectors][unit]") {
  for (const char* text : {"", "\xEF\xBB\xBF"}) {
    testing::FaultyFs files;
    PutFile(&files, text);
    const graph::FormatSpec format{.kind = graph::FormatKind::kCsv, .header = true};
    const absl::Status status = StatusOfReading(&files, *Source(format, PairSchema()));
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK(status.message().find("/data/in.txt: the file is empty") != StringView::npos);
    CHECK(ReadAll(&files, *Source({.kind = graph::FormatKind::kCsv}, PairSchema())).empty());
  }
}

TEST_CASE("Files without a last line end, and empty files, are read", "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, "x\ny");
  CHECK(ReadAll(&files, *Source({}, LineSchema())) == Rows{R"({"line":"x"})", R"({"line":"y"})"});
  testing::FaultyFs empty;
  PutFile(&empty, "");
  CHECK(ReadAll(&empty, *Source({}, LineSchema())).empty());
}

TEST_CASE("A bad row fails the source with file, place and cause, or is counted",
          "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":2}\n{bad}\n");
  const graph::FormatSpec format{.kind = graph::FormatKind::kJson};
  const absl::Status status = StatusOfReading(&files, *Source(format, PairSchema()));
  CHECK(status.message() ==
        "step 'in', /data/in.txt: byte 8: field 'a': found string \"x\", expected an int64 "
        "(on_error: skip drops such rows)");
  const auto skipping = Source(format, PairSchema(), graph::OnError::kSkip);
  testing::ManualClock clock;
  SourceRun run(*skipping, {}, clock, files);
  REQUIRE(run.PollToEnd().ok());
  CHECK(run.out().rows == Rows{R"({"a":1,"b":null})", R"({"a":2,"b":null})"});
  CHECK(run.metrics().rows_skipped.load() == 2);
}

TEST_CASE("A row above the limit is an error that says where", "[connectors][unit]") {
  testing::FaultyFs files;
  PutFile(&files, absl::StrCat("short\n", std::string(types::kRowBytesMax + kFileReadBytes, 'x')));
  const absl::Status status = StatusOfReading(&files, *Source({}, LineSchema()));
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(status.message() ==
        "step 'in', /data/in.txt: byte 6: a row is larger than 16777216 bytes; is a line end or a "
        "closing quote missing? (on_error: skip drops such rows)");
}

TEST_CASE("The limit of a row is exact, wherever it stands and however it ends",
          "[connectors][unit]") {
  const std::string longest(types::kRowBytesMax, 'x');
  for (const char* before : {"", "one\n"}) {
    for (const char* behind : {"", "\n", "\nend\n", "\nend"}) {
      CAPTURE(before, behind);
      testing::FaultyFs fits;
      PutFile(&fits, absl::StrCat(before, longest, behind));
      CHECK(StatusOfReading(&fits, *Source({}, LineSchema())).ok());
      testing::FaultyFs exceeds;
      PutFile(&exceeds, absl::StrCat(before, longest, "y", behind));
      CHECK(StatusOfReading(&exceeds, *Source({}, LineSchema())).code() ==
            absl::StatusCode::kInvalidArgument);
    }
  }
}

TEST_CASE("A row above the limit is skipped and counted, and those around it are read",
          "[connectors][unit]") {
  const std::string far_too_long(2 * types::kRowBytesMax + 5, '7');
  const graph::FormatSpec json{.kind = graph::FormatKind::kJson};
  const graph::FormatSpec csv{.kind = graph::FormatKind::kCsv};
  const auto good_json = [](int a) { return absl::StrCat("{\"a\":", a, ",\"b\":\"x\"}\n"); };
  const auto good_csv = [](int a) { return absl::StrCat(a, ",x\n"); };
  const std::vector<std::pair<graph::FormatSpec, std::string>> inputs = {
      {json, absl::StrCat(good_json(1), "{\"a\":", far_too_long, "}\n", good_json(2), far_too_long,
                          "\n", good_json(3))},
      // Line ends inside quotes are part of the row.
      {csv, absl::StrCat(good_csv(1), "7,\"\n", far_too_long, "\n8,y\n\"\n", good_csv(2), "9,",
                         far_too_long, "\n", good_csv(3))}};
  for (const auto& [format, text] : inputs) {
    testing::FaultyFs files;
    PutFile(&files, text);
    const auto source = Source(format, PairSchema(), graph::OnError::kSkip);
    testing::ManualClock clock;
    // After each poll all goes on from a checkpoint: a row is skipped from its beginning then.
    Rows rows;
    int64_t skipped = 0;
    for (const bool restores : {false, true}) {
      CAPTURE(restores);
      rows.clear();
      skipped = 0;
      Lists lists;
      SubtaskPlace place;
      bool is_finished = false;
      for (int attempt = 0; !is_finished && attempt < 100; ++attempt) {
        SourceRun run(*source, place, clock, files, lists);
        REQUIRE(run.opened().ok());
        const int polls_max = restores ? 20 + 60 * attempt : 1 << 20;
        for (int polls = 0; !is_finished && polls < polls_max; ++polls) {
          const auto polled = run.Poll();
          REQUIRE(polled.ok());
          is_finished = polled->verdict == operators::PollVerdict::kFinished;
        }
        lists = run.Snapshot();
        place.restored = CheckpointId{attempt + 1};
        rows.insert(rows.end(), run.out().rows.begin(), run.out().rows.end());
        skipped += run.metrics().rows_skipped.load();
      }
      CHECK(is_finished);
      CHECK(rows == Rows{R"({"a":1,"b":"x"})", R"({"a":2,"b":"x"})", R"({"a":3,"b":"x"})"});
      if (!restores) CHECK(skipped == 2);
    }
  }
}

}  // namespace weir::connectors
