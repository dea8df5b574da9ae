// LocalSlots: everything runs in this process, which has room for all.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/base/mailbox.h"
#include "jobmanager/resources/slot_provider.h"

namespace weir::resources {

// Life: `loop` outlives it; requests that were not answered before its end never are.
class LocalSlots final : public SlotProvider {
 public:
  explicit LocalSlots(base::Mailbox& loop) : loop_(loop), asked_(std::make_shared<Requests>()) {}

  // Slots of the nil taskmanager, on the loop's next turn.
  void Acquire(JobId job, uint32_t count, Done done) override;
  void Release(JobId job) override;
  std::string WaitsFor(JobId job) const override { return {}; }

 private:
  struct Request {
    uint32_t count = 0;
    Done done;
  };
  using Requests = std::map<JobId, Request>;

  base::Mailbox& loop_;
  // Held weakly by mails, which may come after this is gone. Used on the loop only.
  const std::shared_ptr<Requests> asked_;
};

}  // namespace weir::resources
