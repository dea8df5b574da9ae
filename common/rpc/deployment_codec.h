// JobDeployment over the wire: the source travels, the receiver plans again.
#pragma once

#include <absl/status/statusor.h>

#include "common/rpc/task_deployment.h"
#include "schemas/rpc/task_manager.capnp.h"

namespace weir::rpc {

// What `receiver` needs to run its tasks: states go along for these alone.
void WriteDeployment(const JobDeployment& deployment, TaskManagerId receiver,
                     wire::JobDeployment::Builder out);
// What the job's sinks need to be prepared: of every task, list state alone.
void WritePreparation(const JobDeployment& deployment, wire::JobDeployment::Builder out);

// The deployment with its own plan and graph. Every task of the graph is there once, in order;
// every taskmanager among them but the nil one has an address; every state belongs to an operator
// of its task. INVALID_ARGUMENT: names the field and its value. FAILED_PRECONDITION: the source
// does not hash to what the sender planned, or has no plan here.
absl::StatusOr<JobDeployment> ReadDeployment(wire::JobDeployment::Reader in);

}  // namespace weir::rpc
