// KeyedBackend: the keyed state of one operator subtask: named tables over one range of key groups
// that are snapshotted at one cut, written per key group and restored into any other range.
// The bytes are described in docs/formats/keyed_state.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/state/handles.h"
#include "common/state/key_group.h"
#include "common/state/namespaced_table.h"
#include "common/state/snapshot_stream.h"
#include "common/state/state_table.h"

namespace weir::state {

// Most states of one backend: their positions are stored in 16 bits with room to spare.
inline constexpr size_t kStatesMax = 32'767;

// What a state is to the operator. Part of its identity; stored, so numbers are never reused.
enum class StateKind : uint8_t {
  kValue = 0,
  kList = 1,
  kMap = 2,
  kReducing = 3,
  kAggregating = 4,
  kTimers = 5,
};
const char* StateKindName(StateKind kind);

// A state to register.
struct StateSpec {
  std::string name;
  StateKind kind = StateKind::kValue;
  KeyFormat key;
  ValueLayout value;
  // What the value's bytes mean, field by field ("count:int64,max:double"). A restore compares it;
  // the layout's sizes and the key format are compared besides.
  std::string signature;

  bool operator==(const StateSpec&) const = default;
};

// How stored state relates to what is registered now.
struct Compatibility {
  enum class Verdict : uint8_t { kCompatible, kIncompatible };
  Verdict verdict = Verdict::kCompatible;
  std::string reason;  // empty if compatible
};
// Slot widths may differ; everything else must be the same.
Compatibility CompareSpecs(const StateSpec& stored, const StateSpec& registered);

// All states of a backend at one cut.
//
// Life:   outlives the backend if need be.
// Thread: any one thread at a time, typically one of the I/O pool.
class KeyedSnapshot {
 public:
  using Table = std::variant<TableSnapshot, NamespacedSnapshot>;
  struct State {
    std::shared_ptr<const StateSpec> spec;
    Table table;
  };

  KeyedSnapshot(KeyGroupRange range, uint32_t max_parallelism, std::vector<State> states);

  // Writes everything and finishes the stream. Without a registered state nothing is written: the
  // handle has an empty range and a stream of size 0. A snapshot is written once.
  // The stream's error; FAILED_PRECONDITION: written or released before.
  absl::StatusOr<KeyedStateHandle> Write(SnapshotOutput& output);
  // Gives the memory back without writing. Repeated calls do nothing.
  void Release();

  const std::vector<State>& states() const { return states_; }  // none once released
  KeyGroupRange range() const { return range_; }

 private:
  absl::Status WriteStates(SnapshotOutput& output, KeyedStateHandle* handle) const;

  const KeyGroupRange range_;
  const uint32_t max_parallelism_;
  std::vector<State> states_;
  bool is_released_ = false;
};

// Life:      made for one attempt; tables it hands out live as long as it does.
// Thread:    confined to the task; KeyedSnapshot is what leaves it.
// Invariant: a state's identity (name, kind) is registered once; ids are positions in that order.
class KeyedBackend {
 public:
  // REQUIRES: a range within max_parallelism <= kMaxParallelismMax.
  // `budget`: of the process; null: none.
  KeyedBackend(KeyGroupRange range, uint32_t max_parallelism,
               std::shared_ptr<MemoryBudget> budget = nullptr);
  ~KeyedBackend();
  KeyedBackend(const KeyedBackend&) = delete;
  KeyedBackend& operator=(const KeyedBackend&) = delete;

  KeyGroupRange range() const { return range_; }
  uint32_t max_parallelism() const { return max_parallelism_; }

  // Returns the state's table; the same one when an equal spec is registered again.
  // ALREADY_EXISTS: (name, kind) is registered with another layout or signature, or the other way
  // of namespaces. RESOURCE_EXHAUSTED: kStatesMax. INVALID_ARGUMENT: empty name.
  absl::StatusOr<StateTable*> Register(const StateSpec& spec);
  absl::StatusOr<NamespacedTable*> RegisterNamespaced(const StateSpec& spec);

  // O(number of states), independent of their size.
  std::unique_ptr<KeyedSnapshot> Snapshot();

  // Fills the registered tables, which must be empty, with the groups of range() found in `handles`
  // (any number, of any split). Reads nothing else of them.
  // FAILED_PRECONDITION: a stored state is not registered, or INCOMPATIBLE with what is: names the
  // state and both descriptions; another max_parallelism. DATA_LOSS: names stream, group and block.
  // RESOURCE_EXHAUSTED: it does not fit the budget.
  absl::Status Restore(const std::vector<KeyedStateHandle>& handles,
                       const SnapshotInputFactory& inputs);

  size_t state_count() const { return states_.size(); }
  // Memory of all states, their directories and what waits for snapshots.
  uint64_t ByteSize() const { return memory_->bytes_in_use(); }
  // What was taken from the system for it.
  uint64_t BytesReserved() const { return memory_->bytes_reserved(); }
  VersionedMemory& memory() { return *memory_; }

 private:
  friend class KeyedRestore;

  struct State {
    std::shared_ptr<const StateSpec> spec;
    TableShape shape;
    std::unique_ptr<StateTable> plain;  // one of the two
    std::unique_ptr<NamespacedTable> namespaced;
  };

  absl::StatusOr<State*> AddOrFind(const StateSpec& spec);

  const KeyGroupRange range_;
  const uint32_t max_parallelism_;
  const std::shared_ptr<MemoryBudget> budget_;
  const std::shared_ptr<VersionedMemory> memory_;
  std::vector<std::unique_ptr<State>> states_;
  std::map<std::pair<std::string, StateKind>, size_t> index_;
};

}  // namespace weir::state
