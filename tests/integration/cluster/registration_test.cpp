// What must hold: a taskmanager joins when versions and checkpoint directory agree, both sides
// notice at once when the other is gone and after the timeout when it is silent, and a taskmanager
// comes back by itself.
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/testing/faulty_fs.h"
#include "tests/integration/cluster/cluster_ends.h"
#include "tests/unit/common/fs/scratch_directory.h"

namespace weir {
namespace {

constexpr TaskManagerId kId{0x1a2b3c4d00000000, 1};

server::RegistrationOptions Quick() {
  server::RegistrationOptions options;
  options.heartbeat = {.interval = absl::Milliseconds(5), .timeout = absl::Seconds(60)};
  return options;
}

TEST_CASE("A taskmanager registers and answers heartbeats with reports",
          "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.report.resident_bytes = 4096;
  taskmanager.report.tasks = {{.job = {1, 1}, .attempt = {2, 2}, .operators = {{.node = 3}}}};
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return jobmanager.registrar.reports[kId].size() >= 3; }));

  CHECK(taskmanager.client.IsRegistered());
  REQUIRE(jobmanager.registrar.registered.has_value());
  CHECK(jobmanager.registrar.registered->id == kId);
  CHECK(jobmanager.registrar.registered->data_address == "127.0.0.1:6121");
  CHECK(jobmanager.registrar.registered->slots == 4);
  const rpc::TaskManagerReport& report = jobmanager.registrar.reports[kId].back();
  CHECK(report.resident_bytes == 4096);
  REQUIRE(report.tasks.size() == 1);
  CHECK(report.tasks[0].attempt == AttemptId{2, 2});
  CHECK(jobmanager.registrar.lost.empty());
}

TEST_CASE("A jobmanager is found by the name of its host", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  TaskManagerEnd taskmanager(machine, absl::StrCat("localhost:", jobmanager.service->port()), kId);
  taskmanager.Start();
  CHECK(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
}

TEST_CASE("A taskmanager that sees the checkpoint directory is taken in and the probe removed",
          "[server][integration][threads]") {
  const fs::ScratchDirectory directory;
  Machine machine;
  auto options = Quick();
  options.checkpoint_dir = directory.path();
  JobManagerEnd jobmanager(machine, options);
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  CHECK(machine.driver.RunUntil([&] { return machine.files.List(directory.path())->empty(); }));
}

TEST_CASE("A taskmanager that does not see the checkpoint directory is refused",
          "[server][integration][threads]") {
  const fs::ScratchDirectory directory;
  Machine machine;
  testing::FaultyFs elsewhere;
  auto options = Quick();
  options.checkpoint_dir = directory.path();
  JobManagerEnd jobmanager(machine, options);
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId, "0.1.0", &elsewhere);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.client.cause().ok(); }));

  const absl::Status& cause = taskmanager.client.cause();
  CHECK(absl::IsFailedPrecondition(cause));
  CHECK(absl::StrContains(cause.message(), "both hosts must see the same directory"));
  CHECK(absl::StrContains(cause.message(), directory.path()));
  CHECK_FALSE(jobmanager.registrar.registered.has_value());
  taskmanager.client.Stop();
  CHECK(machine.driver.RunUntil([&] { return machine.files.List(directory.path())->empty(); }));
}

TEST_CASE("A checkpoint directory that cannot be written keeps taskmanagers trying",
          "[server][integration][threads]") {
  const fs::ScratchDirectory parent;
  Machine machine;
  auto options = Quick();
  options.checkpoint_dir = parent.path() + "/later";
  JobManagerEnd jobmanager(machine, options);
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.client.cause().ok(); }));
  CHECK(absl::IsUnavailable(taskmanager.client.cause()));
  CHECK(absl::StrContains(taskmanager.client.cause().message(), "cannot write"));
  REQUIRE(machine.files.MakeDirs(options.checkpoint_dir).ok());
  CHECK(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
}

TEST_CASE("A taskmanager of another build is refused until one of its own comes",
          "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  TaskManagerEnd other(machine, jobmanager.service->address(), kId, "0.2.0");
  other.Start();
  REQUIRE(machine.driver.RunUntil([&] { return !other.client.cause().ok(); }));
  CHECK(absl::IsFailedPrecondition(other.client.cause()));
  CHECK(absl::StrContains(other.client.cause().message(), "build 0.2.0"));
  CHECK(absl::StrContains(other.client.cause().message(), "build 0.1.0"));
  CHECK(other.lost.empty());
  CHECK_FALSE(jobmanager.registrar.registered.has_value());
}

TEST_CASE("A taskmanager waits for a jobmanager that does not lead yet",
          "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  jobmanager.registrar.refusal = absl::UnavailableError("not the leader");
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.client.cause().ok(); }));
  CHECK(taskmanager.client.cause() == absl::UnavailableError("not the leader"));
  CHECK(taskmanager.lost.empty());
  jobmanager.registrar.refusal = absl::OkStatus();
  CHECK(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
}

TEST_CASE("A taskmanager waits for a jobmanager that is not there", "[server][integration]") {
  Machine machine;
  std::string address;
  uint16_t port = 0;
  {
    JobManagerEnd jobmanager(machine, Quick());
    address = jobmanager.service->address();
    port = jobmanager.service->port();
  }
  TaskManagerEnd taskmanager(machine, address, kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.client.cause().ok(); }));
  CHECK(absl::IsUnavailable(taskmanager.client.cause()));
  CHECK(absl::StrContains(taskmanager.client.cause().message(), address));
  auto options = Quick();
  options.port = port;
  JobManagerEnd jobmanager(machine, options);
  CHECK(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  CHECK(taskmanager.lost.empty());
}

TEST_CASE("A taskmanager that leaves is lost at once", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  taskmanager.client.Stop();
  // The heartbeat timeout is a minute, and so is kPatience.
  REQUIRE(machine.driver.RunUntil([&] { return !jobmanager.registrar.lost.empty(); },
                                  absl::Seconds(20)));
  CHECK(jobmanager.registrar.lost.size() == 1);
  CHECK(jobmanager.registrar.lost[0].first == kId);
  CHECK(absl::IsUnavailable(jobmanager.registrar.lost[0].second));
  CHECK(taskmanager.lost.empty());
}

TEST_CASE("A taskmanager registers again with the jobmanager that comes after a lost one",
          "[server][integration][threads]") {
  Machine machine;
  auto options = Quick();
  auto first = std::make_unique<JobManagerEnd>(machine, options);
  options.port = first->service->port();
  TaskManagerEnd taskmanager(machine, first->service->address(), kId);
  taskmanager.holds = true;
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  first.reset();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.lost.empty(); }, absl::Seconds(20)));
  CHECK(absl::IsUnavailable(taskmanager.lost[0]));
  CHECK_FALSE(taskmanager.client.IsRegistered());

  // Not before the tasks of the lost one are gone.
  JobManagerEnd second(machine, options);
  second.registrar.epoch = 6;
  machine.driver.RunFor(absl::Milliseconds(50));
  CHECK_FALSE(second.registrar.registered.has_value());
  taskmanager.client.Resume();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  CHECK(second.registrar.registered->id == kId);
  CHECK(taskmanager.lost.size() == 1);
}

TEST_CASE("A taskmanager refuses a jobmanager of an epoch that is over",
          "[server][integration][threads]") {
  Machine machine;
  auto options = Quick();
  auto first = std::make_unique<JobManagerEnd>(machine, options);
  options.port = first->service->port();
  TaskManagerEnd taskmanager(machine, first->service->address(), kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  first.reset();
  JobManagerEnd second(machine, options);
  second.registrar.epoch = 4;
  REQUIRE(machine.driver.RunUntil([&] { return absl::IsAborted(taskmanager.client.cause()); }));
  CHECK_FALSE(taskmanager.client.IsRegistered());
  CHECK(machine.driver.RunUntil([&] { return !second.registrar.lost.empty(); }));
}

TEST_CASE("A taskmanager takes a jobmanager that counts its epochs elsewhere",
          "[server][integration][threads]") {
  Machine machine;
  auto options = Quick();
  options.cluster = {1, 1};
  auto first = std::make_unique<JobManagerEnd>(machine, options);
  options.port = first->service->port();
  TaskManagerEnd taskmanager(machine, first->service->address(), kId);
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  first.reset();
  options.cluster = {2, 2};
  JobManagerEnd second(machine, options);
  second.registrar.epoch = 1;
  // It is heard as well: its calls are fenced by its own epochs.
  REQUIRE(machine.driver.RunUntil([&] { return second.registrar.reports[kId].size() >= 3; }));
  CHECK(taskmanager.client.IsRegistered());
  CHECK(second.registrar.lost.empty());
}

TEST_CASE("A taskmanager that registers anew is lost first", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  TaskManagerEnd former(machine, jobmanager.service->address(), kId);
  former.holds = true;
  former.Start();
  REQUIRE(machine.driver.RunUntil([&] { return former.client.IsRegistered(); }));
  TaskManagerEnd again(machine, jobmanager.service->address(), kId);
  again.Start();
  REQUIRE(machine.driver.RunUntil([&] { return again.client.IsRegistered(); }));
  CHECK(jobmanager.registrar.order == std::vector<std::string>{"registered", "lost", "registered"});
  CHECK(machine.driver.RunUntil([&] { return former.lost.size() == 1; }));
  CHECK(again.client.IsRegistered());
}

TEST_CASE("A taskmanager that is let go hears why", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, Quick());
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.holds = true;
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
  jobmanager.link(kId).Close(absl::UnavailableError("the jobmanager stops"));
  jobmanager.registrar.links.clear();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.lost.empty(); }));
  CHECK(absl::StrContains(taskmanager.lost[0].message(), "the jobmanager stops"));
  machine.driver.RunFor(absl::Milliseconds(50));
  CHECK(jobmanager.registrar.lost.empty());
}

}  // namespace
}  // namespace weir
