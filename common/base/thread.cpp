#include "common/base/thread.h"

#include <algorithm>
#include <pthread.h>
#include <sched.h>
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

unsigned UsableCpus() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&usable), 1));
}

}  // namespace weir::base
