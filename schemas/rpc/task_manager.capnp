# What a jobmanager says to a taskmanager, and what tasks answer.
@0xe1946a7dc2085bf3;

using Cxx = import "/capnp/c++.capnp";
using Common = import "/schemas/rpc/common.capnp";
using Stored = import "/schemas/stored/checkpoint.capnp";
$Cxx.namespace("weir::wire");

# Handed to the jobmanager with the registration; gone with the connection.
interface TaskManager {
  # Starts tasks. A failure of the whole starts none; failures of one come by TaskReports.
  deploy @0 (deployment :JobDeployment) -> (outcome :Common.Outcome);
  prepareSinks @1 (deployment :JobDeployment) -> (outcome :SinkOutcome);
  trigger @2 (task :Common.Task, barrier :Barrier) -> (outcome :Common.Outcome);
  notifyComplete @3 (task :Common.Task, checkpoint :Int64) -> (outcome :Common.Outcome);
  notifyAborted @4 (task :Common.Task, checkpoint :Int64) -> (outcome :Common.Outcome);
  cancel @5 (task :Common.Task) -> (outcome :Common.Outcome);
  # Every attempt of the job has ended: forgets it and answers what it knew last.
  release @6 (job :Common.Id128, epoch :UInt64) -> (report :Report);
  # Sent once per interval. Silence means loss to both sides.
  heartbeat @7 (epoch :UInt64) -> (report :Report);
  readLogs @8 (request :LogRequest) -> (lines :List(LogLine));
  # The jobmanager lets the taskmanager go and closes the connection.
  dismiss @9 (cause :Common.Error) -> ();
}

# Where tasks tell their jobmanager what becomes of them, in order.
interface TaskReports {
  running @0 (task :Common.Task) -> (outcome :Common.Outcome);
  endOfData @1 (task :Common.Task) -> (outcome :Common.Outcome);
  # The last event of an attempt.
  ended @2 (task :Common.Task, outcome :Common.Outcome) -> (outcome :Common.Outcome);
  ack @3 (ack :Ack) -> (outcome :Common.Outcome);
  decline @4 (decline :Decline) -> (outcome :Common.Outcome);
}

# --- Deployment ---

struct JobDeployment {
  job @0 :Common.Id128;
  epoch @1 :UInt64;
  generation @2 :UInt64;
  source @3 :JobSource;
  sourceHash @4 :UInt64;   # of what the sender planned
  restored @5 :Int64;      # checkpoint id; 0: none
  restoredLocation @6 :Text;
  tasks @7 :List(TaskDeployment);  # vertex by vertex, subtask by subtask
  dataAddresses @8 :List(DataAddress);
}

struct JobSource {
  fileName @0 :Text;
  text @1 :Text;
  variables @2 :List(Variable);  # sorted by name
  parallelism @3 :Int64;         # 0: not given
  maxParallelism @4 :Int64;      # 0: not given

  struct Variable {
    name @0 :Text;
    value @1 :Text;
  }
}

struct TaskDeployment {
  attempt @0 :Common.Id128;
  vertex @1 :UInt32;
  subtask @2 :UInt32;
  taskmanager @3 :Common.Id128;
  states @4 :List(OperatorState);  # of the receiver's own tasks only
}

struct OperatorState {
  uid @0 :Text;
  state @1 :Stored.SubtaskSnapshot;
}

struct DataAddress {
  taskmanager @0 :Common.Id128;
  address @1 :Text;
}

struct SinkOutcome {
  union {
    highestSeen @0 :Int64;  # checkpoint id; 0: none
    failed @1 :Common.Error;
  }
}

# --- Checkpoints ---

struct Barrier {
  checkpoint @0 :Int64;
  triggeredAtUs @1 :Int64;  # since 1970-01-01 UTC
  kind @2 :UInt8;           # checkpoint::CheckpointKind
  scope @3 :UInt8;          # checkpoint::SnapshotScope
  alignment @4 :UInt8;      # checkpoint::BarrierAlignment
  base @5 :Int64;           # checkpoint id; 0: none
  location @6 :Text;
}

struct Ack {
  task @0 :Common.Task;
  checkpoint @1 :Int64;
  states @2 :List(OperatorState);
  finished @3 :Bool;
  alignmentBytes @4 :UInt64;
  startDelayNs @5 :Int64;
  alignmentNs @6 :Int64;
  syncNs @7 :Int64;
  asyncNs @8 :Int64;
}

struct Decline {
  task @0 :Common.Task;
  checkpoint @1 :Int64;
  reason @2 :UInt8;          # checkpoint::FailureReason
  cause @3 :Common.Outcome;  # accepted: none
}

# --- What a taskmanager says of itself ---

struct Report {
  residentBytes @0 :UInt64;
  tasks @1 :List(TaskCounts);
}

struct TaskCounts {
  job @0 :Common.Id128;
  attempt @1 :Common.Id128;
  operators @2 :List(OperatorCounts);
}

struct OperatorCounts {
  node @0 :UInt32;
  rowsIn @1 :Int64;
  rowsOut @2 :Int64;
  rowsLate @3 :Int64;
  rowsPartiallyLate @4 :Int64;
  rowsSkipped @5 :Int64;
  deletesDropped @6 :Int64;
}

struct LogRequest {
  contains @0 :Text;
  linesMax @1 :UInt32;
}

struct LogLine {
  atUs @0 :Int64;   # since 1970-01-01 UTC
  level @1 :UInt8;  # 'I' 'W' 'E'
  text @2 :Text;
}
