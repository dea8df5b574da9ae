// JobStores: what one job keeps of its checkpoints, and who makes it.
#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "common/base/executor.h"
#include "common/base/ids.h"
#include "common/checkpoint/storage.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/completed_checkpoint_store.h"
#include "common/graph/settings.h"

namespace weir::dispatcher {

// Destroyed from the last to the first, on any thread.
struct JobStores {
  std::unique_ptr<checkpoint::CheckpointStorage> storage;
  std::unique_ptr<coordination::CheckpointIdCounter> counter;
  std::unique_ptr<coordination::CompletedCheckpointStore> checkpoints;
};

// Thread: HasDirectory() any; Make() any, blocks.
class JobStoresFactory {
 public:
  virtual ~JobStoresFactory() = default;
  // Whether checkpoints go to files: `state.checkpoints.dir` is set. Without, only a job that takes
  // none but its last runs.
  virtual bool HasDirectory() const = 0;
  // For a new job, or one that ran before under another process. Codes of the storage.
  virtual absl::StatusOr<JobStores> Make(JobId job, const graph::CheckpointingOptions& options) = 0;
};

// Runs a job's blocking work elsewhere and keeps alive what that work stands on.
//
// Thread: any.
class KeepingExecutor final : public base::Executor {
 public:
  KeepingExecutor(base::Executor& executor, std::shared_ptr<const void> kept)
      : executor_(executor), kept_(std::move(kept)) {}

  void Run(absl::AnyInvocable<void()> work) override {
    executor_.Run([work = std::move(work), kept = kept_]() mutable {
      work();
      work = nullptr;  // what it holds may refer to what is kept
    });
  }

 private:
  base::Executor& executor_;
  const std::shared_ptr<const void> kept_;  // shared with work under way
};

}  // namespace weir::dispatcher
