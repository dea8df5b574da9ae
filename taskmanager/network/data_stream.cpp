#include "taskmanager/network/data_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"

namespace weir::network {

DataStream::DataStream(kj::Own<kj::AsyncIoStream> socket) : socket_(kj::mv(socket)) {
}

kj::Promise<size_t> DataStream::tryRead(void* buffer, size_t min_bytes, size_t max_bytes) {
  const size_t have = std::min(ahead_end_ - ahead_begin_, max_bytes);
  std::memcpy(buffer, ahead_.begin() + ahead_begin_, have);
  ahead_begin_ += have;
  if (have >= min_bytes) return have;
  kj::byte* const rest = static_cast<kj::byte*>(buffer) + have;
  const size_t rest_min = min_bytes - have;
  const size_t rest_max = max_bytes - have;
  if (rest_min >= kReadAheadBytes) {
    return socket_->tryRead(rest, rest_min, rest_max).then([have](size_t got) {
      return have + got;
    });
  }
  return socket_->tryRead(ahead_.begin(), rest_min, kReadAheadBytes)
      .then([this, have, rest, rest_max](size_t got) {
        ahead_end_ = got;
        ahead_begin_ = std::min(got, rest_max);
        std::memcpy(rest, ahead_.begin(), ahead_begin_);
        return have + ahead_begin_;
      });
}

kj::Promise<void> DataStream::write(const void* buffer, size_t size) {
  auto pieces = kj::heapArray<kj::ArrayPtr<const kj::byte>>(1);
  pieces[0] = kj::arrayPtr(static_cast<const kj::byte*>(buffer), size);
  auto written = write(pieces);
  return written.attach(kj::mv(pieces));
}

kj::Promise<void> DataStream::write(Pieces pieces) {
  KJ_IF_MAYBE (exception, failed_) {
    return kj::cp(*exception);
  }
  size_t size = 0;
  for (const kj::ArrayPtr<const kj::byte>& piece : pieces) size += piece.size();
  if (size <= kWriteBehindBytes - behind_size_) {
    for (const kj::ArrayPtr<const kj::byte>& piece : pieces) {
      std::memcpy(behind_.begin() + behind_size_, piece.begin(), piece.size());
      behind_size_ += piece.size();
    }
    FlushLater();
    return kj::READY_NOW;
  }
  if (!is_writing_) return WriteThrough(pieces);
  auto idle = kj::newPromiseAndFulfiller<void>();
  when_idle_ = kj::mv(idle.fulfiller);
  return idle.promise.then([this, pieces] { return WriteThrough(pieces); });
}

// What waits goes in front, in the same call.
kj::Promise<void> DataStream::WriteThrough(Pieces pieces) {
  WEIR_CHECK(!is_writing_);
  auto all = kj::heapArrayBuilder<kj::ArrayPtr<const kj::byte>>(pieces.size() + 1);
  std::swap(behind_, under_way_);
  all.add(under_way_.slice(0, std::exchange(behind_size_, 0)));
  all.addAll(pieces);
  is_writing_ = true;
  auto array = all.finish();
  const Pieces gathered = array.asPtr();
  return socket_->write(gathered)
      .attach(kj::mv(array))
      .then(
          [this]() -> kj::Promise<void> {
            OnWritten();
            return kj::READY_NOW;
          },
          [this](kj::Exception&& exception) -> kj::Promise<void> {
            failed_ = kj::cp(exception);
            KJ_IF_MAYBE (waiting, when_idle_) {
              (*waiting)->reject(kj::cp(exception));
            }
            return kj::mv(exception);
          });
}

void DataStream::OnWritten() {
  is_writing_ = false;
  KJ_IF_MAYBE (waiting, when_idle_) {
    (*waiting)->fulfill();
    when_idle_ = nullptr;
  } else if (behind_size_ > 0) {
    FlushLater();
  } else if (is_shut_down_) {
    socket_->shutdownWrite();
  }
}

void DataStream::FlushLater() {
  if (is_writing_ || is_flush_due_) return;  // whoever writes looks again
  is_flush_due_ = true;
  flush_later_ = kj::evalLast([this] {
                   is_flush_due_ = false;
                   // A failure is told to the next write.
                   if (!is_writing_ && behind_size_ > 0) {
                     flushing_ = WriteThrough(nullptr).eagerlyEvaluate([](kj::Exception&&) {});
                   }
                 }).eagerlyEvaluate(nullptr);
}

void DataStream::shutdownWrite() {
  is_shut_down_ = true;
  if (!is_writing_ && behind_size_ == 0) socket_->shutdownWrite();
}

}  // namespace weir::network
