#include "common/coordination/file/directory_id.h"

#include <absl/strings/str_cat.h>

#include "common/base/id_source.h"
#include "common/base/status_macros.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"

namespace weir::coordination {
namespace {

constexpr size_t kDigits = 32;

absl::Status Damaged(const std::string& path) {
  return absl::DataLossError(absl::StrCat(
      path, ": not the ", kDigits,
      " hexadecimal digits of a storage directory's id; restore the file from a copy, or remove it "
      "and restart the taskmanagers as well"));
}

}  // namespace

absl::StatusOr<ClusterId> ReadOrMakeDirectoryId(fs::FileSystem& files, const std::string& dir,
                                                uint64_t seed) {
  const std::string path = fs::JoinPath(dir, "id");
  const absl::StatusOr<std::string> text = fs::ReadWholeFile(files, path, kDigits + 1);
  if (absl::IsNotFound(text.status())) {
    const auto made = base::IdSource(seed).Make<ClusterId>();
    WEIR_RETURN_IF_ERROR(fs::PublishFile(files, path, absl::StrCat(made.ToString(), "\n")));
    return made;
  }
  if (absl::IsOutOfRange(text.status())) return Damaged(path);
  WEIR_RETURN_IF_ERROR(text.status());
  ClusterId id;
  if (!base::ParseHex128(StringView(*text).substr(0, kDigits), &id.high, &id.low) || id.IsNil()) {
    return Damaged(path);
  }
  return id;
}

}  // namespace weir::coordination
