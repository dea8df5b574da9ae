# What a completed checkpoint is made of. Stored for ever: a field number is never used again, and
# tests/golden holds a file of every version. Layout around it: docs/formats/checkpoint.md.
@0xd2c4f1a6b87e3059;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weir::stored");

struct Id128 {
  high @0 :UInt64;
  low @1 :UInt64;
}

struct CheckpointMetadata {
  jobId @0 :Id128;
  jobName @1 :Text;
  checkpointId @2 :Int64;
  triggeredAtUs @3 :Int64;  # since 1970-01-01 UTC
  kind @4 :UInt8;           # 0 checkpoint, 1 savepoint, 2 stop, 3 final
  maxParallelism @5 :UInt32;
  operators @6 :List(OperatorSnapshot);  # sorted by uid
  masterHooks @7 :List(MasterHookState);
}

struct OperatorSnapshot {
  uid @0 :Text;
  id @1 :Id128;
  maxParallelism @2 :UInt32;
  signature @3 :Text;
  subtasks @4 :List(SubtaskSnapshot);  # by subtask index
}

struct SubtaskSnapshot {
  finished @0 :Bool;
  keyedManaged @1 :List(KeyedHandle);
  keyedRaw @2 :List(KeyedHandle);
  operatorManaged @3 :List(OperatorHandle);
  operatorRaw @4 :List(OperatorHandle);
}

struct StreamHandle {
  path @0 :Text;          # empty: the bytes are inlineBytes
  inlineBytes @1 :Data;
  size @2 :UInt64;        # of a file with its trailer
  identity @3 :UInt64;    # what the file's trailer repeats; 0: there is none
}

struct KeyedHandle {
  firstGroup @0 :UInt32;
  lastGroup @1 :UInt32;   # inclusive
  offsets @2 :List(UInt64);  # one per group
  stream @3 :StreamHandle;
}

struct ListSlice {
  name @0 :Text;
  mode @1 :UInt8;         # 0 split even, 1 union, 2 broadcast
  offsets @2 :List(UInt64);  # one per element
}

struct OperatorHandle {
  lists @0 :List(ListSlice);  # sorted by name
  stream @1 :StreamHandle;
}

struct MasterHookState {
  name @0 :Text;
  version @1 :UInt32;
  bytes @2 :Data;
}
