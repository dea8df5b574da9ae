#include "common/base/thread.h"

#include <pthread.h>
#include <thread>
#include <utility>

namespace weir::base {

struct Thread::State {
  std::thread thread;
};

Thread::Thread(const std::string& name, absl::AnyInvocable<void()> body)
    : state_(std::make_unique<State>()) {
  state_->thread = std::thread([name, body = std::move(body)]() mutable {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    body();
  });
}

Thread::~Thread() {
  Join();
}

void Thread::Join() {
  if (state_->thread.joinable()) state_->thread.join();
}

}  // namespace weir::base
