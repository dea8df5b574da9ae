#include "taskmanager/connectors/stdout_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/base/thread.h"
#include "common/testing/faulty_fs.h"
#include "common/types/csv/csv_encoder.h"
#include "taskmanager/connectors/blackhole_sink.h"
#include "taskmanager/connectors/descriptor_writer.h"
#include "tests/unit/taskmanager/connectors/sink_run.h"

namespace weir::connectors {
namespace {

struct Pipe {
  Pipe() { REQUIRE(pipe(ends) == 0); }
  ~Pipe() {
    CloseReading();
    CloseWriting();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int writing() const { return ends[1]; }
  void CloseReading() { CloseEnd(0); }
  void CloseWriting() { CloseEnd(1); }
  void CloseEnd(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  // What was written. REQUIRES: the writing end is closed, or another thread closes it.
  std::string ReadAll() const {
    std::string all;
    char buffer[4096];
    for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof(buffer))) > 0;) {
      all.append(buffer, static_cast<size_t>(size));
    }
    return all;
  }
  int ends[2] = {-1, -1};
};

std::unique_ptr<operators::Operator> JsonStdout(int descriptor) {
  return MakeStdoutSink(graph::SinkChangelog::kAppend,
                        types::MakeJsonEncoder(ValueSchema(), types::WithOp::kNo), descriptor);
}

}  // namespace

TEST_CASE("StdoutSink writes a line a row at once", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  Pipe output;
  const auto sink = JsonStdout(output.writing());
  SinkRun run(*sink, {}, clock, files);
  REQUIRE(run.Write({1, 2}).ok());
  REQUIRE(run.Write({3}).ok());
  output.CloseWriting();
  CHECK(output.ReadAll() == "{\"v\":1}\n{\"v\":2}\n{\"v\":3}\n");
}

TEST_CASE("StdoutSink writes one csv header, at a first start", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  Pipe output;
  const auto sink = MakeStdoutSink(
      graph::SinkChangelog::kAppend,
      types::MakeCsvEncoder(ValueSchema(), {.header = true}, types::WithOp::kNo), output.writing());
  SinkRun first(*sink, {.subtask = 0, .parallelism = 2}, clock, files);
  SinkRun second(*sink, {.subtask = 1, .parallelism = 2}, clock, files);
  REQUIRE(second.Write({1}).ok());
  SinkRun restored(*sink, {.restored = CheckpointId{1}}, clock, files);
  output.CloseWriting();
  CHECK(output.ReadAll() == "v\n1\n");
}

TEST_CASE("StdoutSink fails clearly when nobody reads any more", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  Pipe output;
  const auto sink = JsonStdout(output.writing());
  SinkRun run(*sink, {}, clock, files);
  output.CloseReading();
  const absl::Status status = run.Write({1});
  CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(status.message() == "standard output is closed: the program that read it has ended");
}

TEST_CASE("WriteAll waits for room in a pipe that does not block", "[connectors][unit][threads]") {
  Pipe output;
  REQUIRE(fcntl(output.writing(), F_SETFL, O_NONBLOCK) == 0);
  const std::string bytes(1 << 20, 'x');
  std::string read;
  base::Thread reader("reader", [&] { read = output.ReadAll(); });
  CHECK(WriteAll(output.writing(), bytes).ok());
  output.CloseWriting();
  reader.Join();
  CHECK((read == bytes));
}

TEST_CASE("BlackholeSink counts rows and drops them", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto sink = MakeBlackholeSink(graph::SinkChangelog::kAppend);
  SinkRun run(*sink, {}, clock, files);
  REQUIRE(run.Write({1, 2, 3}).ok());
  CHECK(run.metrics().rows_out.load() == 3);
}

}  // namespace weir::connectors
