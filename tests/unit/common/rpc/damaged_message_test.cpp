// What must hold: whatever bytes of a message are changed, reading it gives a value, an error or an
// exception of Cap'n Proto, and never anything else; a value is valid and can be written again.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <absl/strings/numbers.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <catch2/catch.hpp>
#include <kj/exception.h>

#include "common/base/random.h"
#include "common/checkpoint/subtask_codec.h"
#include "common/rpc/checkpoint_codec.h"
#include "common/rpc/deployment_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/protocol.h"
#include "tests/unit/common/rpc/sample_job.h"

namespace weir::rpc {
namespace {

uint64_t Seed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  uint64_t seed = 0;
  return text != nullptr && absl::SimpleAtoi(text, &seed) ? seed : base::EntropySeed();
}

using Words = std::vector<uint64_t>;

template <class Message>
Words Encoded(const std::function<void(typename Message::Builder)>& write) {
  capnp::MallocMessageBuilder message;
  write(message.initRoot<Message>());
  const auto flat = capnp::messageToFlatArray(message);
  Words words(flat.size());
  std::memcpy(words.data(), flat.begin(), flat.size() * sizeof(uint64_t));
  return words;
}

// A few bytes, anywhere behind the table of segments.
Words Damaged(const Words& words, base::Random& random) {
  Words damaged = words;
  const uint64_t changes = 1 + random.Below(4);
  for (uint64_t i = 0; i < changes; ++i) {
    uint64_t& word = damaged[1 + random.Below(damaged.size() - 1)];
    word ^= random.OneIn(4) ? random.Next() : random.Below(256) << (8 * random.Below(8));
  }
  return damaged;
}

struct Tally {
  int values = 0;
  int errors = 0;
  int exceptions = 0;
};

template <class Message, class Read>
Tally ReadDamaged(const Words& words, int rounds, base::Random& random, Read read) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kMessageBytesMax / sizeof(uint64_t);
  options.nestingLimit = kMessageNestingMax;
  Tally tally;
  for (int i = 0; i < rounds; ++i) {
    const Words damaged = Damaged(words, random);
    try {
      capnp::FlatArrayMessageReader reader(
          kj::arrayPtr(reinterpret_cast<const capnp::word*>(damaged.data()), damaged.size()),
          options);
      ++(read(reader.getRoot<Message>()) ? tally.values : tally.errors);
    } catch (const kj::Exception&) {
      ++tally.exceptions;
    }
  }
  return tally;
}

TEST_CASE("A damaged acknowledgement is read as a valid one or not at all", "[rpc][unit]") {
  const uint64_t seed = Seed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  checkpoint::AckFacts ack;
  ack.sender = {.job = {1, 2}, .epoch = 3, .attempt = {4, 5}};
  ack.id = CheckpointId{9};
  ack.states["count"] = checkpoint::SampleSubtask(0, 2).state;
  ack.states["sum"] = checkpoint::SampleSubtask(1, 2).state;
  const Words words = Encoded<wire::Ack>([&](wire::Ack::Builder out) { WriteAck(ack, out); });
  const Tally tally = ReadDamaged<wire::Ack>(words, 3000, random, [](wire::Ack::Reader reader) {
    const auto read = ReadAck(reader);
    if (!read.ok()) return false;
    for (const auto& [uid, state] : read->states) {
      CHECK(checkpoint::ValidateSubtaskState(state, state::kMaxParallelismMax).ok());
    }
    capnp::MallocMessageBuilder message;
    auto again = message.initRoot<wire::Ack>();
    WriteAck(*read, again);
    const auto reread = ReadAck(again.asReader());
    REQUIRE(reread.ok());
    CHECK(reread->states == read->states);
    CHECK(reread->sender.attempt == read->sender.attempt);
    return true;
  });
  CHECK(tally.values > 0);
  CHECK(tally.errors > 0);
  CHECK(tally.exceptions > 0);
}

TEST_CASE("A damaged deployment is read as a complete one or not at all", "[rpc][unit]") {
  const uint64_t seed = Seed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  const JobDeployment deployment = SampleDeployment(/*epoch=*/5);
  const Words words = Encoded<wire::JobDeployment>([&](wire::JobDeployment::Builder out) {
    WriteDeployment(deployment, kFirstTaskManager, out);
  });
  const Tally tally =
      ReadDamaged<wire::JobDeployment>(words, 500, random, [&](wire::JobDeployment::Reader reader) {
        const auto read = ReadDeployment(reader);
        if (!read.ok()) return false;
        CHECK(read->plan->name == "count");
        CHECK(read->tasks.size() == deployment.tasks.size());
        for (const TaskDeployment& task : read->tasks) CHECK_FALSE(task.attempt.IsNil());
        return true;
      });
  CHECK(tally.values > 0);
  CHECK(tally.errors > 0);
}

TEST_CASE("Damaged facts and reports are read as valid ones or not at all", "[rpc][unit]") {
  const uint64_t seed = Seed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  const TaskManagerFacts facts{.id = {7, 8},
                               .host = "worker-7",
                               .data_address = "10.0.0.7:6121",
                               .http_address = "10.0.0.7:9249",
                               .slots = 8,
                               .pid = 4711,
                               .build_version = "0.1.0"};
  const Words of_facts =
      Encoded<wire::Facts>([&](wire::Facts::Builder out) { WriteFacts(facts, out); });
  ReadDamaged<wire::Facts>(of_facts, 2000, random, [](wire::Facts::Reader reader) {
    const auto read = ReadFacts(reader);
    if (!read.ok()) return false;
    CHECK(read->slots > 0);
    CHECK(read->slots <= kSlotsMax);
    CHECK(read->host.size() <= kNameBytesMax);
    return true;
  });
  TaskManagerReport report;
  report.tasks = {{.job = {1, 2}, .attempt = {3, 4}, .operators = {{.node = 5}, {.node = 6}}}};
  const Words of_report =
      Encoded<wire::Report>([&](wire::Report::Builder out) { WriteReport(report, out); });
  ReadDamaged<wire::Report>(of_report, 2000, random, [](wire::Report::Reader reader) {
    const auto read = ReadReport(reader);
    if (!read.ok()) return false;
    for (const TaskCounts& task : read->tasks) {
      for (const OperatorCounts& counts : task.operators) CHECK(counts.rows_in >= 0);
    }
    return true;
  });
}

}  // namespace
}  // namespace weir::rpc
