// SlotProvider: where the subtasks of a job may run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"

namespace weir::resources {

// What a job must know of a taskmanager it runs on.
struct TaskManagerPlace {
  std::string host;          // for people
  std::string data_address;  // see rpc::JobDeployment
};

// One subtask of every vertex shares a slot: subtask i of each vertex runs in slots[i].
struct SlotAssignment {
  std::vector<TaskManagerId> slots;
  // Of each taskmanager in `slots` but the nil one.
  std::map<TaskManagerId, TaskManagerPlace> places;
};

// Thread: the control loop's.
class SlotProvider {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<SlotAssignment>)>;
  virtual ~SlotProvider() = default;

  // `done` runs once, later, never inside this call: with `count` slots of live taskmanagers, or
  // with RESOURCE_EXHAUSTED after the slot request timeout (the message says what is missing), or
  // CANCELLED after Release(). REQUIRES: the job holds and awaits nothing; count > 0.
  virtual void Acquire(JobId job, uint32_t count, Done done) = 0;
  // Gives up what the job holds or waits for. OK if that is nothing.
  virtual void Release(JobId job) = 0;
  // What the job waits for ("waiting for 4 slots: 2 of 2 are free on 1 taskmanager; start another
  // taskmanager"); empty: nothing.
  virtual std::string WaitsFor(JobId job) const = 0;
};

}  // namespace weir::resources
