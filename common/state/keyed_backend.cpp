#include "common/state/keyed_backend.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/state/keyed_restore.h"

namespace weir::state {
namespace {

absl::Status RegisteredOtherwise(const StateSpec& spec, const std::string& how) {
  return absl::AlreadyExistsError(
      absl::StrCat("state '", spec.name, "' (", StateKindName(spec.kind), ") is registered ", how));
}

}  // namespace

const char* StateKindName(StateKind kind) {
  switch (kind) {
    case StateKind::kValue:
      return "value";
    case StateKind::kList:
      return "list";
    case StateKind::kMap:
      return "map";
    case StateKind::kReducing:
      return "reducing";
    case StateKind::kAggregating:
      return "aggregating";
    case StateKind::kTimers:
      return "timers";
  }
  return "unknown";
}

Compatibility CompareSpecs(const StateSpec& stored, const StateSpec& registered) {
  std::string reason;
  if (stored.kind != registered.kind) {
    reason = absl::StrCat("it is a ", StateKindName(stored.kind), " state");
  } else if (stored.key.kind != registered.key.kind) {
    reason = "its keys are of another kind";
  } else if (stored.signature != registered.signature) {
    reason = "its values mean something else";
  } else if (!(stored.value == registered.value)) {
    reason = absl::StrCat("its values take ", stored.value.bytes, " bytes with ",
                          stored.value.blob_offsets.size(), " fields out of line, not ",
                          registered.value.bytes, " with ", registered.value.blob_offsets.size());
  }
  if (reason.empty()) return {};
  return {Compatibility::Verdict::kIncompatible, std::move(reason)};
}

KeyedBackend::KeyedBackend(KeyGroupRange range, uint32_t max_parallelism,
                           std::shared_ptr<MemoryBudget> budget)
    : range_(range),
      max_parallelism_(max_parallelism),
      budget_(std::move(budget)),
      memory_(std::make_shared<VersionedMemory>(budget_)) {
  WEIR_CHECK(!range.IsEmpty());
  WEIR_CHECK(range.last < max_parallelism);
  WEIR_CHECK(max_parallelism <= kMaxParallelismMax);
}

KeyedBackend::~KeyedBackend() = default;

absl::StatusOr<KeyedBackend::State*> KeyedBackend::AddOrFind(const StateSpec& spec) {
  if (spec.name.empty()) return absl::InvalidArgumentError("a state needs a name");
  const auto [place, is_new] = index_.try_emplace({spec.name, spec.kind}, states_.size());
  if (is_new && states_.size() == kStatesMax) {
    index_.erase(place);
    return absl::ResourceExhaustedError(
        absl::StrCat("an operator may have at most ", kStatesMax, " keyed states"));
  }
  if (is_new) {
    states_.push_back(std::make_unique<State>());
    State& state = *states_.back();
    state.spec = std::make_shared<const StateSpec>(spec);
    state.shape = {range_, max_parallelism_, std::make_shared<TableLayout>(spec.key, spec.value)};
  }
  State* state = states_[place->second].get();
  if (!(*state->spec == spec)) {
    const Compatibility compared = CompareSpecs(*state->spec, spec);
    return RegisteredOtherwise(
        spec, absl::StrCat("as '", state->spec->signature, "', not '", spec.signature, "': ",
                           compared.reason.empty() ? "its keys lie otherwise" : compared.reason));
  }
  return state;
}

absl::StatusOr<StateTable*> KeyedBackend::Register(const StateSpec& spec) {
  WEIR_ASSIGN_OR_RETURN(State * state, AddOrFind(spec));
  if (state->namespaced != nullptr) return RegisteredOtherwise(spec, "with namespaces");
  if (state->plain == nullptr) state->plain = std::make_unique<StateTable>(memory_, state->shape);
  return state->plain.get();
}

absl::StatusOr<NamespacedTable*> KeyedBackend::RegisterNamespaced(const StateSpec& spec) {
  WEIR_ASSIGN_OR_RETURN(State * state, AddOrFind(spec));
  if (state->plain != nullptr) return RegisteredOtherwise(spec, "without namespaces");
  if (state->namespaced == nullptr) {
    state->namespaced = std::make_unique<NamespacedTable>(memory_, state->shape);
  }
  return state->namespaced.get();
}

std::unique_ptr<KeyedSnapshot> KeyedBackend::Snapshot() {
  const std::shared_ptr<const SnapshotLease> lease = memory_->TakeSnapshot();
  std::vector<KeyedSnapshot::State> cut;
  cut.reserve(states_.size());
  for (const std::unique_ptr<State>& state : states_) {
    if (state->plain != nullptr) {
      cut.push_back({state->spec, state->plain->Snapshot(lease)});
    } else {
      cut.push_back({state->spec, state->namespaced->Snapshot(lease)});
    }
  }
  return std::make_unique<KeyedSnapshot>(range_, max_parallelism_, std::move(cut));
}

absl::Status KeyedBackend::Restore(const std::vector<KeyedStateHandle>& handles,
                                   const SnapshotInputFactory& inputs) {
  for (const std::unique_ptr<State>& state : states_) {
    WEIR_CHECK(state->plain == nullptr || state->plain->size() == 0);
    WEIR_CHECK(state->namespaced == nullptr || state->namespaced->tables().empty());
  }
  for (const KeyedStateHandle& handle : handles) {
    KeyedRestore restore(*this, handle);
    WEIR_RETURN_IF_ERROR(restore.Run(inputs));
  }
  return absl::OkStatus();
}

}  // namespace weir::state
