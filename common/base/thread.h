// Thread: a named thread that is always joined.
#pragma once

#include <memory>
#include <string>

#include <absl/functional/any_invocable.h>

namespace weir::base {

// Life: the destructor joins, so the body must have been told to end before.
class Thread {
 public:
  // `name` is cut to 15 bytes (the kernel's limit) and shown by ps and debuggers.
  Thread(const std::string& name, absl::AnyInvocable<void()> body);
  ~Thread();
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // Waits for the body to return. Repeated calls do nothing.
  void Join();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// CPUs that this process may run on; at least 1. Thread: any.
unsigned UsableCpus();

}  // namespace weir::base
