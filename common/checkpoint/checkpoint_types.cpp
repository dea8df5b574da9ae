#include "common/checkpoint/checkpoint_types.h"

namespace weir::checkpoint {

StringView ToString(CheckpointKind kind) {
  switch (kind) {
    case CheckpointKind::kCheckpoint:
      return "checkpoint";
    case CheckpointKind::kSavepoint:
      return "savepoint";
    case CheckpointKind::kStop:
      return "stop";
    case CheckpointKind::kFinal:
      return "final";
  }
  return "unknown";
}

StringView ToString(FailureReason reason) {
  switch (reason) {
    case FailureReason::kCoordinatorShutdown:
      return "COORDINATOR_SHUTDOWN";
    case FailureReason::kPeriodicSchedulerShutdown:
      return "PERIODIC_SCHEDULER_SHUTDOWN";
    case FailureReason::kAlreadyQueued:
      return "ALREADY_QUEUED";
    case FailureReason::kTooManyRequests:
      return "TOO_MANY_CHECKPOINT_REQUESTS";
    case FailureReason::kMinimumTimeBetweenCheckpoints:
      return "MINIMUM_TIME_BETWEEN_CHECKPOINTS";
    case FailureReason::kNotAllRequiredTasksRunning:
      return "NOT_ALL_REQUIRED_TASKS_RUNNING";
    case FailureReason::kTooManyConcurrentCheckpoints:
      return "TOO_MANY_CONCURRENT_CHECKPOINTS";
    case FailureReason::kIoError:
      return "IO_ERROR";
    case FailureReason::kTriggerFailure:
      return "TRIGGER_FAILURE";
    case FailureReason::kExpired:
      return "EXPIRED";
    case FailureReason::kSubsumed:
      return "SUBSUMED";
    case FailureReason::kFinalizeFailure:
      return "FINALIZE_FAILURE";
    case FailureReason::kJobRestarting:
      return "JOB_RESTARTING";
    case FailureReason::kJobEnding:
      return "JOB_ENDING";
    case FailureReason::kDeclined:
      return "DECLINED";
    case FailureReason::kAsyncFailure:
      return "ASYNC_FAILURE";
    case FailureReason::kAlignmentLimitExceeded:
      return "ALIGNMENT_LIMIT_EXCEEDED";
    case FailureReason::kTaskNotReady:
      return "TASK_NOT_READY";
    case FailureReason::kCancellationMarker:
      return "CANCELLATION_MARKER";
    case FailureReason::kInputEnded:
      return "INPUT_ENDED";
    case FailureReason::kTaskFinished:
      return "TASK_FINISHED";
    case FailureReason::kTaskFailed:
      return "TASK_FAILED";
  }
  return "UNKNOWN";
}

bool IsCounted(FailureReason reason) {
  switch (reason) {
    case FailureReason::kIoError:
    case FailureReason::kFinalizeFailure:
    case FailureReason::kDeclined:
    case FailureReason::kAsyncFailure:
    case FailureReason::kAlignmentLimitExceeded:
      return true;
    default:
      return false;
  }
}

}  // namespace weir::checkpoint
