// ScratchDirectory: a fresh directory on the machine, removed at the end of a test.
#pragma once

#include <stdlib.h>
#include <string>

#include "common/base/check.h"
#include "common/fs/local/local_file_system.h"

namespace weir::fs {

// Life: the directory lives as long as this.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    const char* const parent = getenv("TMPDIR");
    path_ = std::string(parent == nullptr ? "/tmp" : parent) + "/weir-test-XXXXXX";
    WEIR_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~ScratchDirectory() { WEIR_CHECK(LocalFileSystem().RemoveTree(path_).ok()); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace weir::fs
