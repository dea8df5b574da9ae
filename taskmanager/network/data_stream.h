// DataStream: a data connection's socket with fewer system calls. Every push has two small messages
// besides itself, its answer and the end of the call: they are read ahead and written in company.
#pragma once

#include <cstddef>

#include <kj/array.h>
#include <kj/async-io.h>

namespace weir::network {

// Small messages are read together with what follows them.
inline constexpr size_t kReadAheadBytes = 8u << 10;
// Answers that wait for company, at most until nothing else is left to do on the loop. Some pushes'
// worth, so that a peer is not kept waiting by one that is busy.
inline constexpr size_t kWriteBehindBytes = 512;

// Life:      outlives what reads and writes it. Bytes that still wait when it goes are dropped.
// Thread:    the network loop's.
// Invariant: behind_[0, behind_size_) follows what was handed to the socket; one write at a time.
class DataStream final : public kj::AsyncIoStream {
 public:
  explicit DataStream(kj::Own<kj::AsyncIoStream> socket);
  KJ_DISALLOW_COPY(DataStream);

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override;
  // As with any stream, one at a time.
  kj::Promise<void> write(const void* buffer, size_t size) override;
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override;
  kj::Promise<void> whenWriteDisconnected() override { return socket_->whenWriteDisconnected(); }
  void shutdownWrite() override;
  void abortRead() override { socket_->abortRead(); }
  kj::Maybe<int> getFd() const override { return socket_->getFd(); }

 private:
  using Pieces = kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>>;

  kj::Promise<void> WriteThrough(Pieces pieces);
  void OnWritten();
  void FlushLater();

  kj::Own<kj::AsyncIoStream> socket_;

  kj::Array<kj::byte> ahead_ = kj::heapArray<kj::byte>(kReadAheadBytes);
  size_t ahead_begin_ = 0;
  size_t ahead_end_ = 0;

  kj::Array<kj::byte> behind_ = kj::heapArray<kj::byte>(kWriteBehindBytes);
  size_t behind_size_ = 0;
  kj::Array<kj::byte> under_way_ = kj::heapArray<kj::byte>(kWriteBehindBytes);
  bool is_writing_ = false;  // under_way_ is being written, perhaps with pieces behind it
  bool is_flush_due_ = false;
  bool is_shut_down_ = false;
  kj::Maybe<kj::Exception> failed_;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> when_idle_;  // a write that waits for its turn
  kj::Promise<void> flush_later_ = nullptr;
  kj::Promise<void> flushing_ = nullptr;
};

}  // namespace weir::network
