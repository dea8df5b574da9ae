// ScratchFile: a file that lives as long as a test case.
#pragma once

#include <string>

#include <catch2/catch.hpp>

#include "common/base/string_view.h"
#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"

namespace weir::testing {

// Life: the directory around the file goes with it.
class ScratchFile {
 public:
  explicit ScratchFile(StringView content) {
    const char* const parent = std::getenv("TMPDIR");
    directory_ = std::string(parent == nullptr ? "/tmp" : parent) + "/weir-scratch-XXXXXX";
    REQUIRE(mkdtemp(directory_.data()) != nullptr);
    REQUIRE(fs::PublishFile(files_, path(), content).ok());
  }
  ~ScratchFile() { CHECK(files_.RemoveTree(directory_).ok()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::string path() const { return directory_ + "/file.yaml"; }

 private:
  fs::LocalFileSystem files_;
  std::string directory_;
};

}  // namespace weir::testing
