// Two streams in memory, in place of stdout and stderr.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace weir::cli {

// Life: a test. Thread: confined to one thread.
class CapturedStream {
 public:
  CapturedStream() : stream_(open_memstream(&bytes_, &size_)) {}
  CapturedStream(const CapturedStream&) = delete;
  CapturedStream& operator=(const CapturedStream&) = delete;
  ~CapturedStream() {
    std::fclose(stream_);
    std::free(bytes_);
  }

  std::FILE* get() { return stream_; }
  std::string text() {
    std::fflush(stream_);
    return std::string(bytes_, size_);
  }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
  std::FILE* stream_;
};

}  // namespace weir::cli
