# What every live message is made of. Changes with the protocol version (common/rpc/protocol.h).
@0xb5f3c1d28e7a4069;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weir::wire");

struct Id128 {
  high @0 :UInt64;
  low @1 :UInt64;
}

# An outcome that was to be expected. Exceptions are for broken connections and bugs.
struct Error {
  code @0 :UInt16;  # absl::StatusCode, never 0
  message @1 :Text;
  payloads @2 :List(Payload);  # of absl::Status

  struct Payload {
    name @0 :Text;
    bytes @1 :Data;
  }
}

struct Outcome {
  union {
    accepted @0 :Void;
    failed @1 :Error;
  }
}

# Which attempt of which job a message comes from or goes to, and under which leader. What does not
# fit is refused with ABORTED and changes nothing.
struct Task {
  job @0 :Id128;
  epoch @1 :UInt64;
  attempt @2 :Id128;
}
