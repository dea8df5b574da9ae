#include "common/fs/path.h"

#include <absl/strings/str_cat.h>

namespace weir::fs {

std::string JoinPath(StringView directory, StringView name) {
  if (directory.empty() || IsAbsolutePath(name)) return std::string(name);
  if (directory.back() == '/') return absl::StrCat(directory, name);
  return absl::StrCat(directory, "/", name);
}

std::string DirectoryOf(StringView path) {
  const size_t slash = path.rfind('/');
  if (slash == StringView::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string NameOf(StringView path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == StringView::npos ? path : path.substr(slash + 1));
}

}  // namespace weir::fs
