// Files of the source tree that tests compare with what the code makes. With WEIR_UPDATE_GOLDEN set
// in the environment they are written instead.
#pragma once

#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"

namespace weir::graph {

// The bytes of a file; the test fails if it cannot be read.
inline std::string ReadText(const std::string& path) {
  fs::LocalFileSystem files;
  const absl::StatusOr<std::string> text = fs::ReadWholeFile(files, path, /*size_max=*/1 << 24);
  INFO(path << ": " << text.status().ToString());
  REQUIRE(text.ok());
  return *text;
}

inline void CheckGolden(const std::string& path, const std::string& made) {
  if (std::getenv("WEIR_UPDATE_GOLDEN") != nullptr) {
    fs::LocalFileSystem files;
    REQUIRE(fs::PublishFile(files, path, made).ok());
    return;
  }
  const std::string committed = ReadText(path);
  INFO(path << " differs; WEIR_UPDATE_GOLDEN=1 writes it anew");
  CHECK(made == committed);
}

}  // namespace weir::graph
