#include "common/state/keyed_restore.h"

#include <algorithm>
#include <cstring>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/byte_cursor.h"
#include "common/io/hash.h"
#include "common/state/timers.h"

namespace weir::state {
namespace {

// Rows inserted at once.
constexpr uint32_t kRowsMax = 1024;

std::string Describe(const StateSpec& spec) {
  return absl::StrCat("'", spec.signature, "'");
}

// The shortest key that a state of this kind may hold.
size_t KeyBytesMin(StateKind kind) {
  return kind == StateKind::kTimers ? kTimerPrefixBytes : 0;
}

// One entry of a run; its views point into the block.
absl::Status ReadEntry(io::ByteReader& in, const TableLayout& layout, size_t key_bytes_min,
                       RestoredRows* rows) {
  StringView value;
  if (layout.key().kind == KeyFormat::Kind::kFixed8) {
    int64_t key = 0;
    WEIR_RETURN_IF_ERROR(in.Fixed(&key));
    rows->keys.fixed.push_back(key);
  } else {
    StringView key;
    WEIR_RETURN_IF_ERROR(in.Sized(&key));
    if (key.size() < key_bytes_min) {
      return absl::DataLossError(absl::StrCat("a timer of ", key.size(), " bytes lies in it"));
    }
    rows->keys.bytes.insert(rows->keys.bytes.end(), key.begin(), key.end());
    rows->keys.offsets.push_back(static_cast<uint32_t>(rows->keys.bytes.size()));
  }
  rows->keys.partition_hash.push_back(0);
  WEIR_RETURN_IF_ERROR(in.Bytes(layout.value().bytes, &value));
  rows->values.push_back(value.data());
  for (size_t field = 0; field < layout.value().blob_offsets.size(); ++field) {
    uint32_t size = 0;
    StringView blob;
    WEIR_RETURN_IF_ERROR(in.Fixed(&size));
    if (size != kNoBlob) WEIR_RETURN_IF_ERROR(in.Bytes(size, &blob));
    rows->blobs.push_back(size == kNoBlob ? StringView() : blob);
  }
  return absl::OkStatus();
}

}  // namespace

void RestoredRows::Clear() {
  keys.fixed.clear();
  keys.offsets.assign(1, 0);
  keys.bytes.clear();
  keys.partition_hash.clear();
  values.clear();
  blobs.clear();
}

KeyedRestore::KeyedRestore(KeyedBackend& backend, const KeyedStateHandle& handle)
    : backend_(backend), handle_(handle) {
}

absl::Status KeyedRestore::Run(const SnapshotInputFactory& inputs) {
  const KeyGroupRange wanted = handle_.range.Intersection(backend_.range());
  if (wanted.IsEmpty()) return absl::OkStatus();
  if (handle_.offsets.size() != handle_.range.Size()) {
    return absl::DataLossError(absl::StrCat(StreamName(), " names ", handle_.offsets.size(),
                                            " offsets for ", handle_.range.Size(), " key groups"));
  }
  WEIR_ASSIGN_OR_RETURN(input_, inputs.Open(handle_.stream));
  WEIR_RETURN_IF_ERROR(ReadHeader());
  for (uint32_t group = wanted.first; group <= wanted.last; ++group) {
    const uint64_t offset = handle_.offsets[group - handle_.range.first];
    if (offset != kNoEntries) WEIR_RETURN_IF_ERROR(ReadGroup(group, offset));
  }
  return absl::OkStatus();
}

absl::Status KeyedRestore::ReadHeader() {
  const auto in_header = [this](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(StreamName(), ": ", status.message()));
  };
  std::string prefix;
  std::string body;
  uint32_t body_bytes = 0;
  if (input_->Size() < kKeyedPrefixBytes) {
    return in_header(absl::DataLossError("is too short to be keyed state"));
  }
  WEIR_RETURN_IF_ERROR(input_->Seek(0));
  WEIR_RETURN_IF_ERROR(input_->Read(kKeyedPrefixBytes, &prefix));
  if (const absl::Status status = DecodeKeyedPrefix(prefix, &body_bytes); !status.ok()) {
    return in_header(status);
  }
  if (body_bytes > input_->Size() - kKeyedPrefixBytes) {
    return in_header(absl::DataLossError("the header is longer than the stream"));
  }
  WEIR_RETURN_IF_ERROR(input_->Read(body_bytes, &body));
  KeyedHeader header;
  if (const absl::Status status = DecodeKeyedHeader(prefix, body, &header); !status.ok()) {
    return in_header(status);
  }
  // A handle that was dealt out to a new subtask may name a part of what the stream holds.
  if (!(header.range.Intersection(handle_.range) == handle_.range)) {
    return in_header(absl::DataLossError("does not hold the key groups its handle names"));
  }
  return MatchStates(header);
}

absl::Status KeyedRestore::MatchStates(const KeyedHeader& header) {
  if (header.max_parallelism != backend_.max_parallelism()) {
    return absl::FailedPreconditionError(
        absl::StrCat(StreamName(), " was written with max_parallelism ", header.max_parallelism,
                     ", now it is ", backend_.max_parallelism(), "; it can never change"));
  }
  for (const StoredState& stored : header.states) {
    const StateSpec& spec = stored.spec;
    const auto found = backend_.index_.find({spec.name, spec.kind});
    const std::string name =
        absl::StrCat("state '", spec.name, "' (", StateKindName(spec.kind), ")");
    if (found == backend_.index_.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat(name, " of ", StreamName(), " is not registered by this operator"));
    }
    KeyedBackend::State* state = backend_.states_[found->second].get();
    Compatibility compared = CompareSpecs(spec, *state->spec);
    if (compared.reason.empty() && stored.is_namespaced != (state->namespaced != nullptr)) {
      compared = {Compatibility::Verdict::kIncompatible, "one of the two has namespaces"};
    }
    if (compared.verdict == Compatibility::Verdict::kIncompatible) {
      return absl::FailedPreconditionError(absl::StrCat(name, " is INCOMPATIBLE: ", compared.reason,
                                                        "; stored ", Describe(spec),
                                                        ", registered ", Describe(*state->spec)));
    }
    states_.push_back(state);
  }
  return absl::OkStatus();
}

absl::Status KeyedRestore::ReadGroup(uint32_t group, uint64_t offset) {
  if (const absl::Status status = input_->Seek(offset); !status.ok()) {
    return InBlock(absl::DataLossError(status.message()), group, 0);
  }
  bool is_last = false;
  uint64_t position = offset;
  for (uint32_t index = 0; !is_last; ++index) {
    if (input_->Size() - position < sizeof(BlockHead)) {
      return InBlock(absl::DataLossError("the stream ends before it"), group, index);
    }
    WEIR_RETURN_IF_ERROR(ReadBlock(group, index, input_->Size() - position, &is_last));
    position += block_.size();
    if (const absl::Status status = ApplyBlock(group); !status.ok()) {
      return InBlock(status, group, index);
    }
    if (backend_.budget_ != nullptr) WEIR_RETURN_IF_ERROR(backend_.budget_->Check());
  }
  return absl::OkStatus();
}

absl::Status KeyedRestore::ReadBlock(uint32_t group, uint32_t index, uint64_t bytes_left,
                                     bool* is_last) {
  std::string payload;
  BlockHead head;
  WEIR_RETURN_IF_ERROR(input_->Read(sizeof(head), &block_));
  std::memcpy(&head, block_.data(), sizeof(head));
  if (head.payload_bytes > bytes_left - sizeof(head)) {
    return InBlock(absl::DataLossError("it is longer than the stream"), group, index);
  }
  WEIR_RETURN_IF_ERROR(input_->Read(head.payload_bytes, &payload));
  block_.append(payload);
  if (head.checksum != io::Xxh3(StringView(block_).substr(sizeof(head.checksum)))) {
    return InBlock(absl::DataLossError("it fails its checksum"), group, index);
  }
  if (head.group != group || head.index != index || head.is_last > 1) {
    return InBlock(absl::DataLossError(absl::StrCat("block ", head.index, " of key group ",
                                                    head.group, " lies in its place")),
                   group, index);
  }
  *is_last = head.is_last == 1;
  return absl::OkStatus();
}

absl::Status KeyedRestore::ApplyBlock(uint32_t group) {
  io::ByteReader in(StringView(block_).substr(sizeof(BlockHead)));
  while (in.remaining() > 0) {
    RunHead run;
    WEIR_RETURN_IF_ERROR(in.Fixed(&run));
    if (run.state >= states_.size()) return absl::DataLossError("it names a state beyond the last");
    WEIR_RETURN_IF_ERROR(ApplyRun(group, run, in));
  }
  return absl::OkStatus();
}

absl::Status KeyedRestore::ApplyRun(uint32_t group, const RunHead& run, io::ByteReader& in) {
  KeyedBackend::State& state = *states_[run.state];
  StateTable& table =
      state.plain != nullptr ? *state.plain : state.namespaced->Namespace(run.name_space);
  const size_t key_bytes_min = KeyBytesMin(state.spec->kind);
  rows_.keys.is_fixed = table.layout().key().kind == KeyFormat::Kind::kFixed8;
  for (uint32_t done = 0; done < run.count;) {
    rows_.Clear();
    for (; rows_.values.size() < kRowsMax && done < run.count; ++done) {
      WEIR_RETURN_IF_ERROR(ReadEntry(in, table.layout(), key_bytes_min, &rows_));
    }
    WEIR_RETURN_IF_ERROR(ApplyRows(group, table));
  }
  return absl::OkStatus();
}

absl::Status KeyedRestore::ApplyRows(uint32_t group, StateTable& table) {
  WEIR_RETURN_IF_ERROR(table.ProbeOrInsertInGroup(group, rows_.keys, &slots_, &inserted_));
  const ValueLayout& layout = table.layout().value();
  const size_t field_count = layout.blob_offsets.size();
  for (size_t row = 0; row < slots_.size(); ++row) {
    if (inserted_[row] == 0) return absl::DataLossError("a key lies in it twice");
    std::memcpy(slots_[row], rows_.values[row], layout.bytes);
    for (size_t field = 0; field < field_count; ++field) {
      std::memset(slots_[row] + layout.blob_offsets[field], 0, sizeof(uint64_t));
      const StringView blob = rows_.blobs[row * field_count + field];
      if (blob.data() != nullptr) table.SetBlob(slots_[row], field, blob);
    }
  }
  return absl::OkStatus();
}

std::string KeyedRestore::StreamName() const {
  if (!handle_.stream.IsInline()) return absl::StrCat("keyed state file ", handle_.stream.path);
  return absl::StrCat("keyed state of ", handle_.stream.size, " bytes kept in its handle");
}

absl::Status KeyedRestore::InBlock(const absl::Status& status, uint32_t group,
                                   uint32_t index) const {
  return absl::Status(status.code(), absl::StrCat(StreamName(), ", key group ", group, ", block ",
                                                  index, ": ", status.message()));
}

}  // namespace weir::state
