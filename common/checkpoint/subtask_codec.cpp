#include "common/checkpoint/subtask_codec.h"

#include <string>
#include <vector>

#include <capnp/message.h>

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

void WriteOffsets(const std::vector<uint64_t>& offsets, capnp::List<uint64_t>::Builder out) {
  for (size_t i = 0; i < offsets.size(); ++i) out.set(static_cast<uint32_t>(i), offsets[i]);
}

void WriteStream(const state::StreamHandle& stream, stored::StreamHandle::Builder out) {
  if (!stream.path.empty()) out.setPath(TextOf(stream.path));
  if (!stream.inline_bytes.empty()) out.setInlineBytes(DataOf(stream.inline_bytes));
  out.setSize(stream.size);
  out.setIdentity(stream.identity);
}

void WriteKeyed(const std::vector<state::KeyedStateHandle>& handles,
                capnp::List<stored::KeyedHandle>::Builder out) {
  for (uint32_t i = 0; i < out.size(); ++i) {
    const state::KeyedStateHandle& handle = handles[i];
    out[i].setFirstGroup(handle.range.first);
    out[i].setLastGroup(handle.range.last);
    WriteOffsets(handle.offsets, out[i].initOffsets(SizeOf(handle.offsets)));
    WriteStream(handle.stream, out[i].initStream());
  }
}

void WriteListed(const std::vector<state::OperatorStateHandle>& handles,
                 capnp::List<stored::OperatorHandle>::Builder out) {
  for (uint32_t i = 0; i < out.size(); ++i) {
    const state::OperatorStateHandle& handle = handles[i];
    auto lists = out[i].initLists(SizeOf(handle.lists));
    uint32_t next = 0;
    for (const auto& [name, slice] : handle.lists) {
      auto list = lists[next++];
      list.setName(TextOf(name));
      list.setMode(static_cast<uint8_t>(slice.mode));
      WriteOffsets(slice.offsets, list.initOffsets(SizeOf(slice.offsets)));
    }
    WriteStream(handle.stream, out[i].initStream());
  }
}

// --- Reading ---

std::string StringOf(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}
std::string StringOf(capnp::Data::Reader bytes) {
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

state::StreamHandle ReadStream(stored::StreamHandle::Reader in) {
  return {.path = StringOf(in.getPath()),
          .inline_bytes = StringOf(in.getInlineBytes()),
          .size = in.getSize(),
          .identity = in.getIdentity()};
}

std::vector<uint64_t> ReadOffsets(capnp::List<uint64_t>::Reader in) {
  std::vector<uint64_t> offsets;
  offsets.reserve(in.size());
  for (const uint64_t offset : in) offsets.push_back(offset);
  return offsets;
}

std::vector<state::KeyedStateHandle> ReadKeyed(capnp::List<stored::KeyedHandle>::Reader in) {
  std::vector<state::KeyedStateHandle> handles;
  handles.reserve(in.size());
  for (const auto handle : in) {
    handles.push_back({.range = {handle.getFirstGroup(), handle.getLastGroup()},
                       .offsets = ReadOffsets(handle.getOffsets()),
                       .stream = ReadStream(handle.getStream())});
  }
  return handles;
}

std::vector<state::OperatorStateHandle> ReadListed(capnp::List<stored::OperatorHandle>::Reader in) {
  std::vector<state::OperatorStateHandle> handles;
  handles.reserve(in.size());
  for (const auto handle : in) {
    state::OperatorStateHandle& read = handles.emplace_back();
    for (const auto list : handle.getLists()) {
      read.lists[StringOf(list.getName())] = {.mode = static_cast<state::ListMode>(list.getMode()),
                                              .offsets = ReadOffsets(list.getOffsets())};
    }
    read.stream = ReadStream(handle.getStream());
  }
  return handles;
}

}  // namespace

template <class Builder>
void WriteSubtaskState(const state::OperatorSubtaskState& state, Builder out) {
  // An absent list costs no bytes and reads as empty.
  if (!state.keyed_managed.empty()) {
    WriteKeyed(state.keyed_managed, out.initKeyedManaged(SizeOf(state.keyed_managed)));
  }
  if (!state.keyed_raw.empty()) {
    WriteKeyed(state.keyed_raw, out.initKeyedRaw(SizeOf(state.keyed_raw)));
  }
  if (!state.operator_managed.empty()) {
    WriteListed(state.operator_managed, out.initOperatorManaged(SizeOf(state.operator_managed)));
  }
  if (!state.operator_raw.empty()) {
    WriteListed(state.operator_raw, out.initOperatorRaw(SizeOf(state.operator_raw)));
  }
}

template <class Reader>
state::OperatorSubtaskState ReadSubtaskState(Reader in) {
  return {.keyed_managed = ReadKeyed(in.getKeyedManaged()),
          .keyed_raw = ReadKeyed(in.getKeyedRaw()),
          .operator_managed = ReadListed(in.getOperatorManaged()),
          .operator_raw = ReadListed(in.getOperatorRaw())};
}

template void WriteSubtaskState(const state::OperatorSubtaskState&,
                                stored::SubtaskSnapshot::Builder);
template state::OperatorSubtaskState ReadSubtaskState(stored::SubtaskSnapshot::Reader);

}  // namespace weir::checkpoint
