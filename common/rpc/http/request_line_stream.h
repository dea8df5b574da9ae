// RequestLineStream: a connection that remembers how its first line ended, because KJ does not tell
// the version of HTTP that a peer speaks.
#pragma once

#include <algorithm>
#include <string>

#include <absl/strings/match.h>
#include <absl/strings/strip.h>
#include <kj/async-io.h>

#include "common/base/string_view.h"

namespace weir::rpc {

// Thread: the loop's.
class RequestLineStream final : public kj::AsyncIoStream {
 public:
  explicit RequestLineStream(kj::Own<kj::AsyncIoStream> inner) : inner_(kj::mv(inner)) {}

  // Whether the first request says HTTP/1.0; such a peer sends only one.
  bool IsHttp10() const { return absl::EndsWith(absl::StripSuffix(line_end_, "\r"), "HTTP/1.0"); }

  // To the reader the peer sends nothing more: KJ says `connection: close` when it is told to, but
  // then waits for another request all the same.
  void EndInput() { is_ended_ = true; }

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    if (is_ended_) return size_t{0};
    kj::Promise<size_t> read = inner_->tryRead(buffer, min_bytes, max_bytes);
    if (is_line_over_) return read;
    return read.then([this, buffer](size_t size) {
      See(StringView(static_cast<const char*>(buffer), size));
      return size;
    });
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    return inner_->write(buffer, size);
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    return inner_->write(pieces);
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override { inner_->shutdownWrite(); }
  void abortRead() override { inner_->abortRead(); }
  kj::Maybe<int> getFd() const override { return inner_->getFd(); }

 private:
  // What "HTTP/1.0\r" takes.
  static constexpr size_t kLineEndBytes = 9;

  void See(StringView text) {
    if (is_line_over_) return;
    const size_t end = text.find('\n');
    is_line_over_ = end != StringView::npos;
    line_end_.append(text.data(), std::min(end, text.size()));
    if (line_end_.size() > kLineEndBytes) line_end_.erase(0, line_end_.size() - kLineEndBytes);
  }

  kj::Own<kj::AsyncIoStream> inner_;
  std::string line_end_;
  bool is_line_over_ = false;
  bool is_ended_ = false;
};

}  // namespace weir::rpc
