#include "common/state/operator_state.h"

#include <cstring>
#include <memory>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/hash.h"

namespace weir::state {
namespace {

constexpr char kListMagic[] = "WEIRLIST";
constexpr uint32_t kListVersion = 1;

// In front of the elements. The checksum covers what is before it.
struct ListHeader {
  char magic[8] = {};
  uint32_t version = 0;
  uint32_t unused = 0;
  uint64_t checksum = 0;
};
static_assert(sizeof(ListHeader) == 24, "stored as it lies in memory");

// In front of each element's bytes. The checksum covers everything behind itself.
struct ElementHead {
  uint64_t checksum = 0;
  uint32_t size = 0;
  uint32_t index = 0;  // within its list when it was written
};
static_assert(sizeof(ElementHead) == 16, "stored as it lies in memory");

template <class T>
StringView BytesOf(const T& value) {
  return StringView(reinterpret_cast<const char*>(&value), sizeof(value));
}

uint64_t ChecksumOf(const ListHeader& header) {
  return io::Xxh3(BytesOf(header).substr(0, offsetof(ListHeader, checksum)));
}
uint64_t ChecksumOf(const ElementHead& head, StringView bytes) {
  const StringView fields = BytesOf(head).substr(sizeof(head.checksum));
  return io::Xxh3(absl::StrCat(fields, bytes));
}

ListHeader NewHeader() {
  ListHeader header;
  std::memcpy(header.magic, kListMagic, sizeof(header.magic));
  header.version = kListVersion;
  header.checksum = ChecksumOf(header);
  return header;
}

absl::Status WriteElement(const std::string& element, uint32_t index, SnapshotOutput& output,
                          ListSlice* slice) {
  if (element.size() > kListElementBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat("a list element of ", element.size(),
                                                   " bytes; at most ", kListElementBytesMax));
  }
  if (output.Position() == 0) WEIR_RETURN_IF_ERROR(output.Write(BytesOf(NewHeader())));
  slice->offsets.push_back(output.Position());
  ElementHead head{.size = static_cast<uint32_t>(element.size()), .index = index};
  head.checksum = ChecksumOf(head, element);
  WEIR_RETURN_IF_ERROR(output.Write(BytesOf(head)));
  return output.Write(element);
}

// Reads the elements of one handle.
//
// Thread: confined to the restore.
class ListReader {
 public:
  ListReader(const StreamHandle& stream, std::unique_ptr<SnapshotInput> input)
      : stream_(stream), input_(std::move(input)) {}

  absl::Status CheckHeader() {
    if (input_->Size() < sizeof(ListHeader)) return Damaged("is too short to be list state");
    WEIR_RETURN_IF_ERROR(input_->Seek(0));
    WEIR_RETURN_IF_ERROR(input_->Read(sizeof(ListHeader), &bytes_));
    ListHeader header;
    std::memcpy(&header, bytes_.data(), sizeof(header));
    if (std::memcmp(header.magic, kListMagic, sizeof(header.magic)) != 0) {
      return Damaged("does not begin like list state");
    }
    if (header.checksum != ChecksumOf(header)) return Damaged("the header fails its checksum");
    if (header.version == kListVersion) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(Name(), " has format version ", header.version,
                                                 ", this is version ", kListVersion));
  }

  absl::Status ReadElement(const std::string& list, uint64_t offset, std::string* element) {
    const std::string where = absl::StrCat("list '", list, "', element at ", offset);
    const uint64_t size = input_->Size();
    if (offset > size || size - offset < sizeof(ElementHead)) {
      return Damaged(where + ": the stream ends before it");
    }
    WEIR_RETURN_IF_ERROR(input_->Seek(offset));
    WEIR_RETURN_IF_ERROR(input_->Read(sizeof(ElementHead), &bytes_));
    ElementHead head;
    std::memcpy(&head, bytes_.data(), sizeof(head));
    if (head.size > kListElementBytesMax || head.size > size - offset - sizeof(head)) {
      return Damaged(where + ": it is longer than the stream");
    }
    WEIR_RETURN_IF_ERROR(input_->Read(head.size, element));
    if (head.checksum != ChecksumOf(head, *element)) {
      return Damaged(where + ": it fails its checksum");
    }
    return absl::OkStatus();
  }

 private:
  std::string Name() const {
    return stream_.IsInline() ? "list state kept in its handle" : "list state file " + stream_.path;
  }
  absl::Status Damaged(const std::string& what) const {
    return absl::DataLossError(absl::StrCat(Name(), ", ", what));
  }

  const StreamHandle& stream_;
  const std::unique_ptr<SnapshotInput> input_;
  std::string bytes_;
};

}  // namespace

absl::StatusOr<OperatorStateHandle> OperatorSnapshot::Write(SnapshotOutput& output) const {
  OperatorStateHandle handle;
  for (const auto& [name, list] : lists_) {
    ListSlice& slice = handle.lists[name];
    slice.mode = list.mode;
    for (uint32_t index = 0; index < list.elements.size(); ++index) {
      WEIR_RETURN_IF_ERROR(WriteElement(list.elements[index], index, output, &slice));
    }
  }
  WEIR_ASSIGN_OR_RETURN(handle.stream, output.Finish());
  return handle;
}

absl::StatusOr<ListState*> OperatorState::Register(const std::string& name, ListMode mode) {
  if (name.empty()) return absl::InvalidArgumentError("a list state needs a name");
  if (const auto found = registered_.find(name); found != registered_.end()) {
    if (found->second == mode) return &lists_[name];
    return absl::AlreadyExistsError(
        absl::StrCat("list state '", name, "' is registered with another mode"));
  }
  ListState& list = lists_.try_emplace(name, ListState{.mode = mode}).first->second;
  if (list.mode != mode) return OtherMode(name);
  registered_[name] = mode;
  return &list;
}

absl::Status OperatorState::Restore(const std::vector<OperatorStateHandle>& handles,
                                    const SnapshotInputFactory& inputs) {
  for (const OperatorStateHandle& handle : handles) {
    for (const auto& [name, slice] : handle.lists) {
      const ListState& list = lists_.try_emplace(name, ListState{.mode = slice.mode}).first->second;
      if (list.mode != slice.mode) return OtherMode(name);
    }
    WEIR_RETURN_IF_ERROR(RestoreElements(handle, inputs));
  }
  return absl::OkStatus();
}

absl::Status OperatorState::RestoreElements(const OperatorStateHandle& handle,
                                            const SnapshotInputFactory& inputs) {
  if (handle.stream.size == 0) return absl::OkStatus();
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<SnapshotInput> input, inputs.Open(handle.stream));
  ListReader reader(handle.stream, std::move(input));
  WEIR_RETURN_IF_ERROR(reader.CheckHeader());
  for (const auto& [name, slice] : handle.lists) {
    std::vector<std::string>& elements = lists_[name].elements;
    for (const uint64_t offset : slice.offsets) {
      WEIR_RETURN_IF_ERROR(reader.ReadElement(name, offset, &elements.emplace_back()));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> OperatorState::UnregisteredLists() const {
  std::vector<std::string> names;
  for (const auto& [name, list] : lists_) {
    if (registered_.find(name) == registered_.end()) names.push_back(name);
  }
  return names;
}

absl::Status OperatorState::OtherMode(const std::string& name) const {
  return absl::FailedPreconditionError(absl::StrCat(
      "list state '", name, "' was stored with another mode (split-even, union, broadcast)"));
}

}  // namespace weir::state
