// What must hold: what travels for a checkpoint arrives as it was sent, and what no honest peer
// sends is refused with the field's name.
#include "common/rpc/checkpoint_codec.h"

#include <functional>
#include <vector>

#include <absl/strings/match.h>
#include <capnp/message.h>
#include <catch2/catch.hpp>

#include "tests/unit/common/checkpoint/sample_metadata.h"

namespace weir::rpc {
namespace {

constexpr checkpoint::Sender kSender{.job = {1, 2}, .epoch = 3, .attempt = {4, 5}};

checkpoint::Barrier SampleBarrier() {
  return {.id = CheckpointId{int64_t{1} << 40},
          .triggered_at = absl::FromUnixMicros(1'700'000'000'123'456),
          .options = {.kind = checkpoint::CheckpointKind::kFinal,
                      .scope = checkpoint::SnapshotScope::kIncremental,
                      .alignment = checkpoint::BarrierAlignment::kUnaligned,
                      .base = CheckpointId{(int64_t{1} << 40) - 1},
                      .location = "/checkpoints/é/chk-7"}};
}

checkpoint::AckFacts SampleAck() {
  checkpoint::AckFacts ack;
  ack.sender = kSender;
  ack.id = CheckpointId{9};
  ack.states["count"] = checkpoint::SampleSubtask(0, 2).state;
  ack.states["stateless"] = {};
  ack.finished = true;
  ack.metrics = {.alignment_bytes = 1,
                 .start_delay = absl::Milliseconds(-2),
                 .alignment = absl::Microseconds(3),
                 .sync = absl::Nanoseconds(4),
                 .async = absl::Seconds(5)};
  return ack;
}

// Encodes, lets `change` spoil it, and decodes.
absl::StatusOr<checkpoint::Barrier> SpoiltBarrier(
    const std::function<void(wire::Barrier::Builder)>& change) {
  capnp::MallocMessageBuilder message;
  auto barrier = message.initRoot<wire::Barrier>();
  WriteBarrier(SampleBarrier(), barrier);
  change(barrier);
  return ReadBarrier(barrier.asReader());
}

absl::StatusOr<checkpoint::AckFacts> SpoiltAck(
    const std::function<void(wire::Ack::Builder)>& change) {
  capnp::MallocMessageBuilder message;
  auto ack = message.initRoot<wire::Ack>();
  WriteAck(SampleAck(), ack);
  change(ack);
  return ReadAck(ack.asReader());
}

template <class T>
std::string Refusal(const absl::StatusOr<T>& result) {
  CHECK(absl::IsInvalidArgument(result.status()));
  return std::string(result.status().message());
}

TEST_CASE("A barrier arrives as it was sent", "[rpc][unit]") {
  const auto arrived = SpoiltBarrier([](wire::Barrier::Builder) {});
  REQUIRE(arrived.ok());
  CHECK(*arrived == SampleBarrier());
}

TEST_CASE("A barrier that cannot be is refused", "[rpc][unit]") {
  CHECK(Refusal(SpoiltBarrier([](auto b) { b.setCheckpoint(0); })) == "checkpoint id 0");
  CHECK(Refusal(SpoiltBarrier([](auto b) { b.setCheckpoint(-1); })) == "checkpoint id -1");
  CHECK(Refusal(SpoiltBarrier([](auto b) { b.setKind(4); })) == "checkpoint kind 4");
  CHECK(Refusal(SpoiltBarrier([](auto b) { b.setScope(2); })) == "snapshot scope 2");
  CHECK(Refusal(SpoiltBarrier([](auto b) { b.setAlignment(255); })) == "alignment 255");
  CHECK(absl::StartsWith(Refusal(SpoiltBarrier([](auto b) { b.setBase(-1); })), "base -1"));
  CHECK(absl::StartsWith(Refusal(SpoiltBarrier([](auto b) { b.setBase(b.getCheckpoint()); })),
                         "base"));
}

TEST_CASE("An acknowledgement arrives as it was sent", "[rpc][unit]") {
  const auto arrived = SpoiltAck([](wire::Ack::Builder) {});
  REQUIRE(arrived.ok());
  const checkpoint::AckFacts sent = SampleAck();
  CHECK(arrived->sender.job == sent.sender.job);
  CHECK(arrived->sender.epoch == sent.sender.epoch);
  CHECK(arrived->sender.attempt == sent.sender.attempt);
  CHECK(arrived->id == sent.id);
  CHECK(arrived->states == sent.states);
  CHECK(arrived->finished);
  CHECK(arrived->metrics.alignment_bytes == 1);
  CHECK(arrived->metrics.start_delay == sent.metrics.start_delay);
  CHECK(arrived->metrics.alignment == sent.metrics.alignment);
  CHECK(arrived->metrics.sync == sent.metrics.sync);
  CHECK(arrived->metrics.async == sent.metrics.async);
}

TEST_CASE("An acknowledgement that cannot be is refused", "[rpc][unit]") {
  CHECK(Refusal(SpoiltAck([](auto a) { a.getTask().initJob(); })) == "a message of no job");
  CHECK(Refusal(SpoiltAck([](auto a) { a.getTask().initAttempt(); })) == "a message of no attempt");
  CHECK(Refusal(SpoiltAck([](auto a) { a.setCheckpoint(0); })) == "checkpoint id 0");
  CHECK(Refusal(SpoiltAck([](auto a) { a.setSyncNs(-1); })) == "a synchronous part of -1 ns");
  CHECK(Refusal(SpoiltAck([](auto a) { a.getStates()[0].setUid(""); })) ==
        "state of an operator without uid");
  CHECK(Refusal(SpoiltAck([](auto a) { a.getStates()[1].setUid("count"); })) ==
        "state of operator count twice");
}

TEST_CASE("State that cannot be is refused with the operator's name", "[rpc][unit]") {
  const auto spoil = [](const std::function<void(stored::SubtaskSnapshot::Builder)>& change) {
    const std::string refusal =
        Refusal(SpoiltAck([&change](auto a) { change(a.getStates()[0].getState()); }));
    CHECK(absl::StartsWith(refusal, "state of operator count: "));
    return refusal;
  };
  CHECK(absl::StrContains(spoil([](auto s) { s.getKeyedManaged()[0].setLastGroup(1u << 15); }),
                          "key groups"));
  CHECK(absl::StrContains(spoil([](auto s) { s.getKeyedManaged()[0].initOffsets(1); }),
                          "1 offsets for"));
  CHECK(absl::StrContains(spoil([](auto s) { s.getKeyedRaw()[0].getStream().setPath("../x"); }),
                          "leaves its directory"));
  CHECK(absl::StrContains(spoil([](auto s) { s.getOperatorManaged()[0].getStream().setSize(8); }),
                          "claims 8"));
  CHECK(absl::StrContains(spoil([](auto s) { s.getOperatorRaw()[0].getLists()[0].setMode(3); }),
                          "mode 3"));
}

TEST_CASE("A decline arrives as it was sent", "[rpc][unit]") {
  capnp::MallocMessageBuilder message;
  auto wire = message.initRoot<wire::Decline>();
  const checkpoint::DeclineFacts sent{.sender = kSender,
                                      .id = CheckpointId{9},
                                      .reason = checkpoint::FailureReason::kTaskNotReady,
                                      .cause = absl::UnavailableError("deploying")};
  WriteDecline(sent, wire);
  const auto arrived = ReadDecline(wire.asReader());
  REQUIRE(arrived.ok());
  CHECK(arrived->sender.attempt == sent.sender.attempt);
  CHECK(arrived->id == sent.id);
  CHECK(arrived->reason == sent.reason);
  CHECK(arrived->cause == sent.cause);
}

TEST_CASE("A decline for a reason that no task has is refused", "[rpc][unit]") {
  capnp::MallocMessageBuilder message;
  auto wire = message.initRoot<wire::Decline>();
  WriteDecline({.sender = kSender, .id = CheckpointId{9}, .cause = absl::OkStatus()}, wire);
  REQUIRE(ReadDecline(wire.asReader()).ok());
  for (const int reason : {0, 22, 39, 48, 255}) {
    wire.setReason(static_cast<uint8_t>(reason));
    CHECK(absl::IsInvalidArgument(ReadDecline(wire.asReader()).status()));
  }
}

}  // namespace
}  // namespace weir::rpc
