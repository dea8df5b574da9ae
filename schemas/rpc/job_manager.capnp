# How a taskmanager joins. The bootstrap capability of the jobmanager's RPC port.
@0xc87a05e3b19d2f64;

using Cxx = import "/capnp/c++.capnp";
using Common = import "/schemas/rpc/common.capnp";
using Workers = import "/schemas/rpc/task_manager.capnp";
$Cxx.namespace("weir::wire");

interface JobManager {
  # First of all, once per connection. Its fields stay where they are in every protocol version, so
  # that another version is refused with a message.
  greet @0 (protocol :UInt32, build :Text) -> (outcome :Welcome);
  # Then once. `seen`: what the taskmanager read at the probe's path.
  register @1 (facts :Facts, seen :Seen, taskManager :Workers.TaskManager)
      -> (outcome :Registered);
}

struct Welcome {
  union {
    accepted :group {
      # A file the jobmanager has just written in the checkpoint directory; empty: it has none.
      probePath @0 :Text;
      reports @1 :Workers.TaskReports;
      # What the epochs of this jobmanager are counted in.
      cluster @3 :Common.Id128;
    }
    failed @2 :Common.Error;
  }
}

struct Seen {
  union {
    content @0 :Text;
    failed @1 :Common.Error;
  }
}

struct Registered {
  union {
    accepted :group {
      epoch @0 :UInt64;
      heartbeatIntervalUs @1 :Int64;
      heartbeatTimeoutUs @2 :Int64;
    }
    failed @3 :Common.Error;
  }
}

struct Facts {
  id @0 :Common.Id128;
  host @1 :Text;
  dataAddress @2 :Text;
  httpAddress @3 :Text;  # empty: none
  slots @4 :UInt32;
  pid @5 :Int64;
  build @6 :Text;
}
