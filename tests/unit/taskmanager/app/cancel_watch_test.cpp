// What must hold: a cancelled task is overdue once its time is up, and not before or after its end.
#include "taskmanager/app/cancel_watch.h"

#include <catch2/catch.hpp>

namespace weir::taskmanager {
namespace {

constexpr AttemptId kFirst{1, 1};
constexpr AttemptId kSecond{2, 1};
constexpr absl::Duration kStart = absl::Hours(1);

using Names = std::vector<std::string>;

std::shared_ptr<std::atomic<bool>> Running() {
  return std::make_shared<std::atomic<bool>>(false);
}

TEST_CASE("a cancelled task is overdue behind its time", "[app][unit]") {
  CancelWatch watch(absl::Seconds(10));
  watch.OnCancel(kFirst, "count[0]", Running(), kStart);
  watch.OnCancel(kSecond, "count[1]", Running(), kStart + absl::Seconds(1));
  CHECK(watch.Overdue(kStart + absl::Seconds(10)).empty());
  CHECK(watch.Overdue(kStart + absl::Seconds(11)) == Names{"count[0]"});
  CHECK(watch.Overdue(kStart + absl::Seconds(12)) == Names{"count[0]", "count[1]"});
}

TEST_CASE("a second cancel gives a task no more time", "[app][unit]") {
  CancelWatch watch(absl::Seconds(10));
  watch.OnCancel(kFirst, "count[0]", Running(), kStart);
  watch.OnCancel(kFirst, "count[0]", Running(), kStart + absl::Seconds(9));
  CHECK(watch.Overdue(kStart + absl::Seconds(11)).size() == 1);
}

TEST_CASE("only what still hangs is overdue", "[app][unit]") {
  CancelWatch watch(absl::Seconds(10));
  const auto ended = Running();
  watch.OnCancel(kFirst, "count[0]", ended, kStart);
  watch.OnCancel(kSecond, "count[1]", Running(), kStart);
  ended->store(true);
  CHECK(watch.Overdue(kStart + absl::Hours(1)) == Names{"count[1]"});
}

TEST_CASE("without end there is always time", "[app][unit]") {
  CancelWatch watch(absl::InfiniteDuration());
  watch.OnCancel(kFirst, "count[0]", Running(), kStart);
  CHECK(watch.Overdue(kStart + absl::Hours(1000)).empty());
}

}  // namespace
}  // namespace weir::taskmanager
