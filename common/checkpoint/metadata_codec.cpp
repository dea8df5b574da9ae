#include "common/checkpoint/metadata_codec.h"

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <capnp/message.h>
#include <capnp/serialize.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/stored_frame.h"
#include "common/checkpoint/subtask_codec.h"
#include "schemas/stored/checkpoint.capnp.h"

namespace weir::checkpoint {
namespace {

// --- Writing ---

capnp::Text::Reader TextOf(const std::string& text) {
  return {text.data(), text.size()};
}
capnp::Data::Reader DataOf(const std::string& bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

template <class T>
uint32_t SizeOf(const T& container) {
  return static_cast<uint32_t>(container.size());
}

void WriteMessage(const CheckpointMetadata& metadata, stored::CheckpointMetadata::Builder out) {
  out.initJobId().setHigh(metadata.job_id.high);
  out.getJobId().setLow(metadata.job_id.low);
  out.setJobName(TextOf(metadata.job_name));
  out.setCheckpointId(ToInt(metadata.id));
  out.setTriggeredAtUs(absl::ToUnixMicros(metadata.triggered_at));
  out.setKind(static_cast<uint8_t>(metadata.kind));
  out.setMaxParallelism(metadata.max_parallelism);
  auto operators = out.initOperators(SizeOf(metadata.operators));
  for (uint32_t i = 0; i < operators.size(); ++i) {
    const OperatorSnapshot& from = metadata.operators[i];
    auto to = operators[i];
    to.setUid(TextOf(from.uid));
    to.initId().setHigh(from.id.high);
    to.getId().setLow(from.id.low);
    to.setMaxParallelism(from.max_parallelism);
    to.setSignature(TextOf(from.signature));
    auto subtasks = to.initSubtasks(SizeOf(from.subtasks));
    for (uint32_t k = 0; k < subtasks.size(); ++k) {
      subtasks[k].setFinished(from.subtasks[k].finished);
      WriteSubtaskState(from.subtasks[k].state, subtasks[k]);
    }
  }
  auto hooks = out.initMasterHooks(SizeOf(metadata.master_hooks));
  for (uint32_t i = 0; i < hooks.size(); ++i) {
    hooks[i].setName(TextOf(metadata.master_hooks[i].name));
    hooks[i].setVersion(metadata.master_hooks[i].version);
    hooks[i].setBytes(DataOf(metadata.master_hooks[i].bytes));
  }
}

// --- Reading ---

std::string StringOf(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}
std::string StringOf(capnp::Data::Reader bytes) {
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

OperatorSnapshot ReadOperator(stored::OperatorSnapshot::Reader in) {
  OperatorSnapshot read{.uid = StringOf(in.getUid()),
                        .id = {in.getId().getHigh(), in.getId().getLow()},
                        .max_parallelism = in.getMaxParallelism(),
                        .signature = StringOf(in.getSignature()),
                        .subtasks = {}};
  read.subtasks.reserve(in.getSubtasks().size());
  for (const auto subtask : in.getSubtasks()) {
    read.subtasks.push_back(
        {.state = ReadSubtaskState(subtask), .finished = subtask.getFinished()});
  }
  return read;
}

CheckpointMetadata ReadMessage(stored::CheckpointMetadata::Reader in) {
  CheckpointMetadata read;
  read.job_id = {in.getJobId().getHigh(), in.getJobId().getLow()};
  read.job_name = StringOf(in.getJobName());
  read.id = CheckpointId{in.getCheckpointId()};
  read.triggered_at = absl::FromUnixMicros(in.getTriggeredAtUs());
  read.kind = static_cast<CheckpointKind>(in.getKind());
  read.max_parallelism = in.getMaxParallelism();
  read.operators.reserve(in.getOperators().size());
  for (const auto snapshot : in.getOperators()) read.operators.push_back(ReadOperator(snapshot));
  for (const auto hook : in.getMasterHooks()) {
    read.master_hooks.push_back(
        {StringOf(hook.getName()), hook.getVersion(), StringOf(hook.getBytes())});
  }
  return read;
}

absl::StatusOr<CheckpointMetadata> ParsePayload(StringView payload, StringView what) {
  if (payload.empty() || payload.size() % sizeof(capnp::word) != 0) {
    return absl::DataLossError(absl::StrCat(what, ": empty or not a whole number of words"));
  }
  // A copy, because the payload may lie unaligned.
  std::vector<uint64_t> words(payload.size() / sizeof(capnp::word));
  std::memcpy(words.data(), payload.data(), payload.size());
  capnp::ReaderOptions options;
  // Every byte is read about once; lists of structs count a little more than their size.
  options.traversalLimitInWords = 4 * words.size() + 1024;
  try {
    capnp::FlatArrayMessageReader reader(
        kj::arrayPtr(reinterpret_cast<const capnp::word*>(words.data()), words.size()), options);
    return ReadMessage(reader.getRoot<stored::CheckpointMetadata>());
  } catch (const std::exception& error) {
    return absl::DataLossError(
        absl::StrCat(what, ": not a valid checkpoint message: ", error.what()));
  }
}

}  // namespace

absl::StatusOr<std::string> EncodeMetadata(const CheckpointMetadata& metadata) {
  WEIR_DCHECK(ValidateMetadata(metadata).ok());
  capnp::MallocMessageBuilder message;
  WriteMessage(metadata, message.initRoot<stored::CheckpointMetadata>());
  const auto words = capnp::messageToFlatArray(message);
  const auto payload = words.asChars();
  std::string bytes =
      EncodeFrame(kMetadataMagic, kMetadataVersion, StringView(payload.begin(), payload.size()));
  if (bytes.size() <= kMetadataBytesMax) return bytes;
  return absl::ResourceExhaustedError(absl::StrCat(
      "the metadata of checkpoint ", ToInt(metadata.id), " is ", bytes.size(), " bytes; at most ",
      kMetadataBytesMax, " are allowed: lower checkpointing.inline_threshold"));
}

absl::StatusOr<CheckpointMetadata> DecodeMetadata(StringView bytes, StringView what) {
  WEIR_ASSIGN_OR_RETURN(const DecodedFrame frame,
                        DecodeFrame(kMetadataMagic, kMetadataVersion, bytes, what));
  WEIR_ASSIGN_OR_RETURN(CheckpointMetadata metadata, ParsePayload(frame.payload, what));
  const absl::Status valid = ValidateMetadata(metadata);
  if (!valid.ok()) {
    return absl::DataLossError(absl::StrCat(what, ": ", valid.message()));
  }
  return metadata;
}

}  // namespace weir::checkpoint
