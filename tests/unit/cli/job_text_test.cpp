// What must hold: what people read of a job names its causes and its checkpoints, and says each
// news once.
#include "cli/job_text.h"

#include <absl/strings/match.h>
#include <absl/strings/str_split.h>
#include <catch2/catch.hpp>

namespace weir::cli {
namespace {

Json AnswerOf(const std::string& state, int restarts, const std::string& cause) {
  return {{"job",
           {{"name", "numbers"},
            {"id", "0123456789abcdef"},
            {"state", state},
            {"waits_for", ""},
            {"submitted_at", "2026-01-02T03:04:05.000Z"},
            {"restarts", restarts},
            {"cause", cause},
            {"rows", {{"read", 0}, {"written", 0}}},
            {"checkpoints",
             {{"completed", 2},
              {"failed", 1},
              {"restored", nullptr},
              {"last", {{"id", 9}, {"completed_at", nullptr}, {"duration_ms", 12.5}}}}}}},
          {"steps", Json::array()},
          {"subtasks", Json::array()},
          {"failures", Json::array()}};
}

Json WithFailure(Json answer, const std::string& message) {
  answer["failures"].push_back(
      {{"at", "2026-01-02T03:04:06.000Z"}, {"vertex", ""}, {"message", message}});
  return answer;
}

TEST_CASE("A description tells the checkpoints, and what was restored", "[cli][unit]") {
  Json answer = AnswerOf("RUNNING", 0, "");
  answer["job"]["checkpoints"]["restored"] = 7;
  CHECK(absl::StrContains(JobDetailText(answer),
                          "\ncheckpoints  2 completed, 1 failed, newest 9, restored from 7\n"));
  answer["job"]["checkpoints"]["restored"] = nullptr;
  answer["job"]["checkpoints"]["last"] = nullptr;
  CHECK(absl::StrContains(JobDetailText(answer), "\ncheckpoints  2 completed, 1 failed\n\nSTEP"));
}

TEST_CASE("A description has one empty line before and after its failures", "[cli][unit]") {
  const std::string text = JobDetailText(WithFailure(AnswerOf("RUNNING", 1, ""), "boom"));
  CHECK(absl::StrContains(text,
                          "newest 9\n\nroot cause  2026-01-02T03:04:06.000Z\n            "
                          "boom\n\nSTEP"));
  CHECK_FALSE(absl::StrContains(text, "\n\n\n"));
}

TEST_CASE("Where no failures are kept the description has the cause", "[cli][unit]") {
  CHECK(absl::StrContains(JobDetailText(AnswerOf("FAILED", 3, "boom")),
                          "\ncause        boom\n\nSTEP"));
}

TEST_CASE("What was not kept of a job is no zero", "[cli][unit]") {
  Json answer = AnswerOf("CANCELED", 1, "");
  Json& job = answer["job"];
  job["rows"] = {{"read", nullptr}, {"written", nullptr}};
  job["checkpoints"]["completed"] = nullptr;
  job["checkpoints"]["failed"] = nullptr;
  const std::string text = JobDetailText(answer);
  CHECK(absl::StrContains(text, "\ncheckpoints  - completed, - failed, newest 9\n"));
  CHECK(absl::StrContains(text, "ended under an earlier jobmanager"));
  CHECK_FALSE(absl::StrContains(text, "STEP"));
  const std::vector<std::string> cells =
      absl::StrSplit(JobListText({job}), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  CHECK(cells.back() == "-");
  CHECK(cells[cells.size() - 2] == "-");
}

TEST_CASE("A description begins with what the job is for", "[cli][unit]") {
  Json answer = AnswerOf("RUNNING", 0, "");
  answer["description"] = "Counts.\nAll of them.\n";
  CHECK(absl::StrContains(
      JobDetailText(answer),
      "\nstate        RUNNING\n             Counts.\n             All of them.\n"));
}

TEST_CASE("A list shows no age of a checkpoint whose time is not known", "[cli][unit]") {
  const Json jobs = {AnswerOf("FAILED", 0, "").at("job")};
  CHECK_FALSE(absl::StrContains(JobListText(jobs), "- ago"));
}

TEST_CASE("Progress knows how long the newest checkpoint took", "[cli][unit]") {
  const LocalProgress progress = ProgressOf(AnswerOf("RUNNING", 0, "").at("job"));
  CHECK(progress.completed == CheckpointId{9});
  CHECK(progress.checkpoint_duration == absl::Milliseconds(12.5));
}

TEST_CASE("A restart is told once and with its cause", "[cli][unit]") {
  JobNews news;
  CHECK(news.See(AnswerOf("CREATED", 0, "")).restarted.empty());
  CHECK(news.See(AnswerOf("RESTARTING", 1, "no slots")).restarted == "no slots");
  CHECK(news.See(AnswerOf("RESTARTING", 1, "no slots")).restarted.empty());
  // It runs already when it is looked at.
  CHECK(news.See(WithFailure(AnswerOf("RUNNING", 2, ""), "boom")).restarted == "boom");
  CHECK(news.See(AnswerOf("RUNNING", 3, "")).restarted == "its cause is not known any more");
}

TEST_CASE("Restarts of long ago are no news", "[cli][unit]") {
  JobNews cancelled;
  CHECK(cancelled.See(WithFailure(AnswerOf("CANCELLING", 5, ""), "boom")).restarted.empty());
  JobNews waiting;
  CHECK(waiting.See(AnswerOf("RESTARTING", 5, "no slots")).restarted == "no slots");
}

TEST_CASE("What a job waits for is told when it changes", "[cli][unit]") {
  JobNews news;
  Json answer = AnswerOf("CREATED", 0, "");
  answer["job"]["waits_for"] = "waiting for 2 slots";
  CHECK(news.See(answer).waits_for == "waiting for 2 slots");
  CHECK(news.See(answer).waits_for.empty());
  answer["job"]["waits_for"] = "";
  CHECK(news.See(answer).waits_for.empty());
}

}  // namespace
}  // namespace weir::cli
