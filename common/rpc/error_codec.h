// Status over the wire: expected failures as data, exceptions of KJ as a Status. The one place
// where either is translated.
#pragma once

#include <string>

#include <absl/status/status.h>
#include <kj/exception.h>

#include "common/base/string_view.h"
#include "schemas/rpc/common.capnp.h"

namespace weir::rpc {

// Code, message and small payloads travel. REQUIRES: `status` is not OK.
void WriteError(const absl::Status& status, wire::Error::Builder out);
// Never OK: a code that does not exist becomes UNKNOWN.
absl::Status ReadError(wire::Error::Reader in);

void WriteOutcome(const absl::Status& status, wire::Outcome::Builder out);
absl::Status ReadOutcome(wire::Outcome::Reader in);

// The description of an exception that WithDeadline() ends a call with.
inline constexpr char kDeadlineText[] = "no answer in time";

// What went wrong, for people: KJ's texts of a failed system call or look-up name its source code
// and variables as well, which are left out.
std::string CauseOf(const kj::Exception& exception);

// `what` begins the message: "the taskmanager 1f3a on host-2".
// DISCONNECTED is UNAVAILABLE, OVERLOADED is RESOURCE_EXHAUSTED (of WithDeadline():
// DEADLINE_EXCEEDED), UNIMPLEMENTED keeps its name, FAILED is INTERNAL.
absl::Status FromException(const kj::Exception& exception, StringView what);

}  // namespace weir::rpc
