# How rows travel between taskmanagers. The producing side connects; one capability per channel, so
# that a full channel holds up no other. Frames: docs/formats/frames.md.
@0xbd4b2b2004828d43;

using Cxx = import "/capnp/c++.capnp";
using Common = import "/schemas/rpc/common.capnp";
$Cxx.namespace("weir::wire");

# The consuming taskmanager's first capability.
interface DataPlane {
  # Answered once the consumer expects the channel, or when waiting for that is pointless. Refused
  # for another version of the frames, an execution that is over, or a channel that has a producer.
  openChannel @0 (name :ChannelName, version :UInt32) -> (outcome :OpenOutcome);
}

# One logical channel of one execution of a job.
struct ChannelName {
  job @0 :Common.Id128;
  epoch @1 :UInt64;
  generation @2 :UInt64;
  edge @3 :UInt32;
  producer @4 :UInt32;
  consumer @5 :UInt32;
}

struct OpenOutcome {
  union {
    channel @0 :DataChannel;
    failed @1 :Common.Error;
  }
}

# Letting go of it before close() was answered breaks the channel.
interface DataChannel {
  # `sequence` is the number of the first frame, counted from 0. Answered when the elements are queued
  # and the queue has room for more: that is the backpressure.
  push @0 (sequence :UInt64, frames :List(Data)) -> stream;
  # Nothing follows. `sequence`: how many frames there were.
  close @1 (sequence :UInt64) -> ();
}
