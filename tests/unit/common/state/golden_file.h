// Files of tests/golden: bytes that an earlier build wrote and every later one must read.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace weir::state {

// The file's bytes. If WEIR_WRITE_GOLDEN is set and the file does not exist, it is made of
// `written` first: a new version gets a new file, an old one is never rewritten.
inline std::string GoldenFile(const std::string& name, const std::string& written) {
  const std::string path = std::string(WEIR_SOURCE_DIR "/tests/golden/") + name;
  if (std::getenv("WEIR_WRITE_GOLDEN") != nullptr && !std::ifstream(path).good()) {
    std::ofstream(path, std::ios::binary) << written;
  }
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace weir::state
