// Chain: runs the operators of one task one after the other, a batch at a time.
// What an operator emits is taken on by the next one before the first goes on, so that at most
// kEmitBatchesMax batches wait between two operators, whatever the rows multiply to.
#pragma once

#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "taskmanager/network/stream_element.h"
#include "taskmanager/operators/operator.h"

namespace weir::task {

// What moves through a chain. Barriers do not: a task takes a checkpoint between two of these.
using ChainItem =
    std::variant<types::BatchPtr, network::Watermark, network::Idleness, network::EndOfData>;

// Where a chain's last operator emits to.
class ChainOutput {
 public:
  virtual ~ChainOutput() = default;
  virtual bool HasRoom() = 0;
  virtual void Emit(ChainItem item) = 0;
};

struct ChainLink {
  const operators::Operator* op = nullptr;  // outlives the chain
  std::unique_ptr<operators::OperatorState> state;
};

enum class ChainProgress : uint8_t {
  kIdle,        // all that was fed has gone through
  kOutputFull,  // go on when the output has room
};

// Thread:    confined to the task's thread.
// Invariant: an operator that returned kBlocked is called again with Resume() only.
class Chain {
 public:
  // `links` may be empty: items go straight to `output`, which outlives this.
  Chain(std::vector<ChainLink> links, ChainOutput& output);

  std::vector<ChainLink>& links() { return links_; }

  // Puts an item before the first operator. Run() takes it on.
  void Feed(ChainItem item);
  // True: Run() has nothing to do. Only then a checkpoint may be taken.
  bool IsIdle() const;
  // Works until it is idle or the output is full. An operator's error.
  absl::StatusOr<ChainProgress> Run();
  // Head to tail: everything operators hold back goes out, however full the output is.
  // REQUIRES: IsIdle().
  absl::Status PrepareSnapshot();

 private:
  enum class Room : uint8_t { kNeeded, kIgnored };
  class Collector;

  absl::StatusOr<ChainProgress> RunWith(Room room);
  // The deepest place with work; links_.size() is the output; nothing: -1.
  ptrdiff_t Deepest() const;
  absl::Status RunLink(size_t index);
  absl::StatusOr<operators::Verdict> Call(size_t index, ChainItem& item, Collector& out);
  void DrainToOutput();

  struct Place {
    std::deque<ChainItem> waiting;  // at most kEmitBatchesMax batches and what follows one
    bool is_blocked = false;
    // Goes on to the next place once the call that was blocked is done.
    std::vector<ChainItem> forward_after;
  };

  std::vector<ChainLink> links_;
  std::vector<Place> places_;  // one per link, and one before the output
  ChainOutput& output_;
};

}  // namespace weir::task
