#include "jobmanager/resources/local_slots.h"

#include <utility>

#include "common/base/check.h"

namespace weir::resources {

void LocalSlots::Acquire(JobId job, uint32_t count, Done done) {
  WEIR_CHECK(count > 0);
  const bool is_first = asked_->emplace(job, Request{count, std::move(done)}).second;
  WEIR_CHECK(is_first);
  loop_.PostControl([job, asked = std::weak_ptr<Requests>(asked_)] {
    const std::shared_ptr<Requests> requests = asked.lock();
    if (requests == nullptr) return;
    auto request = requests->extract(job);
    if (request.empty()) return;
    SlotAssignment assignment;
    assignment.slots.resize(request.mapped().count);
    request.mapped().done(std::move(assignment));
  });
}

void LocalSlots::Release(JobId job) {
  auto request = asked_->extract(job);
  if (request.empty()) return;
  loop_.PostControl([done = std::move(request.mapped().done)]() mutable {
    done(absl::CancelledError("the job gave its request for slots back"));
  });
}

}  // namespace weir::resources
