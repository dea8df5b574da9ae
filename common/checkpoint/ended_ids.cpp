#include "common/checkpoint/ended_ids.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace weir::checkpoint {

void EndedIds::Remember(EndedId ended) {
  WEIR_CHECK(Find(ended.id) == nullptr);
  ended_.push_back(std::move(ended));
  if (ended_.size() > kEndedIdsMax) ended_.pop_front();
}

const EndedId* EndedIds::Find(CheckpointId id) const {
  const auto found = std::find_if(ended_.begin(), ended_.end(),
                                  [id](const EndedId& ended) { return ended.id == id; });
  return found == ended_.end() ? nullptr : &*found;
}

}  // namespace weir::checkpoint
