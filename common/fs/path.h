// Paths: joining and taking apart. '/' separates, as everywhere Weir runs.
#pragma once

#include <string>

#include "common/base/string_view.h"

namespace weir::fs {

// `directory`/`name`; `name` alone if it is absolute or `directory` is empty.
std::string JoinPath(StringView directory, StringView name);
// Everything before the last name: "/a/b" -> "/a", "/a" -> "/", "a" -> ".".
std::string DirectoryOf(StringView path);
// The last name: "/a/b" -> "b".
std::string NameOf(StringView path);
inline bool IsAbsolutePath(StringView path) {
  return !path.empty() && path[0] == '/';
}

}  // namespace weir::fs
