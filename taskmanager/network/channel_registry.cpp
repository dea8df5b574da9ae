#include "taskmanager/network/channel_registry.h"

#include <algorithm>
#include <vector>

#include <absl/strings/str_cat.h>

namespace weir::network {
namespace {

std::string ToString(const ChannelName& name) {
  return absl::StrCat("channel ", name.edge, ":", name.producer, ">", name.consumer, " of job ",
                      name.job.ToString(), " epoch ", name.epoch, " generation ", name.generation);
}

}  // namespace

absl::Status ChannelRegistry::Expect(const ChannelName& name, std::shared_ptr<ReceiveEnd> end) {
  Answered first;
  std::vector<Answered> over;  // of older executions
  {
    base::MutexLock lock(mutex_);
    if (is_closed_) return absl::FailedPreconditionError("the data plane has stopped");
    if (!expected_.try_emplace(name, Expected{end}).second) {
      return absl::AlreadyExistsError(absl::StrCat(ToString(name), " is expected already"));
    }
    Remember(name);
    if (const auto held = held_.find(name); held != held_.end()) {
      first = std::move(held->second.answered);
      held_.erase(held);
      expected_[name].has_producer = true;
    }
    const ChannelName oldest{.job = name.job};
    for (auto it = held_.lower_bound(oldest); it != held_.end() && IsOver(it->first);) {
      over.push_back(std::move(it->second.answered));
      it = held_.erase(it);
    }
  }
  if (first) first(std::move(end));
  for (Answered& answered : over) {
    answered(absl::AbortedError(absl::StrCat("a newer execution than that of ", ToString(name))));
  }
  return absl::OkStatus();
}

void ChannelRegistry::Forget(const ChannelName& name, const ReceiveEnd& end) {
  base::MutexLock lock(mutex_);
  const auto expected = expected_.find(name);
  // One that was expected twice is not that of the second receiver.
  if (expected != expected_.end() && expected->second.end.get() == &end) expected_.erase(expected);
}

uint64_t ChannelRegistry::Open(const ChannelName& name, Answered answered) {
  Answer answer;
  uint64_t open = 0;
  {
    base::MutexLock lock(mutex_);
    open = ++last_open_;
    const auto expected = expected_.find(name);
    if (is_closed_) {
      answer = absl::FailedPreconditionError("the data plane has stopped");
    } else if (expected != expected_.end() && !expected->second.has_producer) {
      expected->second.has_producer = true;
      answer = expected->second.end;
    } else if (expected != expected_.end() || held_.contains(name)) {
      answer = absl::AlreadyExistsError(absl::StrCat(ToString(name), " has a producer already"));
    } else if (IsOver(name)) {
      answer = absl::AbortedError(
          absl::StrCat(ToString(name), " belongs to an execution before ", "the newest one here"));
    } else if (held_.size() >= kHeldOpensMax) {
      answer = absl::ResourceExhaustedError(
          absl::StrCat(kHeldOpensMax, " producers wait for their consumers already"));
    } else {
      held_.emplace(name, Held{open, std::move(answered)});
      return open;
    }
  }
  answered(std::move(answer));
  return open;
}

void ChannelRegistry::Withdraw(const ChannelName& name, uint64_t open, const absl::Status& cause) {
  Answered answered;
  {
    base::MutexLock lock(mutex_);
    const auto held = held_.find(name);
    if (held == held_.end() || held->second.open != open) return;
    answered = std::move(held->second.answered);
    held_.erase(held);
  }
  answered(cause);
}

void ChannelRegistry::Close(const absl::Status& cause) {
  std::map<ChannelName, Expected> expected;
  std::map<ChannelName, Held> held;
  {
    base::MutexLock lock(mutex_);
    is_closed_ = true;
    expected.swap(expected_);
    held.swap(held_);
  }
  for (auto& [name, channel] : expected) channel.end->Lose(cause);
  // Each gets a Status of its own: they go to other threads, and the packaged library's counting of
  // shared ones is invisible to ThreadSanitizer.
  for (auto& [name, open] : held) open.answered(absl::Status(cause.code(), cause.message()));
}

void ChannelRegistry::Remember(const ChannelName& name) {
  if (newest_.size() >= kRememberedJobsMax && !newest_.contains(name.job)) {
    newest_.erase(newest_.begin());  // an old producer of it then waits out its time
  }
  Execution& newest = newest_[name.job];
  newest = std::max(newest, Execution{name.epoch, name.generation});
}

bool ChannelRegistry::IsOver(const ChannelName& name) const {
  const auto newest = newest_.find(name.job);
  return newest != newest_.end() && Execution{name.epoch, name.generation} < newest->second;
}

}  // namespace weir::network
