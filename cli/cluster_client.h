// ClusterClient: questions to a jobmanager over HTTP (docs/api.md).
#pragma once

#include <csignal>
#include <map>
#include <memory>
#include <string>

#include <absl/status/statusor.h>
#include <absl/time/time.h>
#include <nlohmann/json.hpp>

#include "common/rpc/control_loop.h"
#include "common/rpc/http/http_client.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}  // namespace CLI

namespace weir::cli {

using Json = nlohmann::ordered_json;

// What every verb that talks to a cluster takes.
struct ClusterFlags {
  std::string jobmanager = "http://127.0.0.1:8081";
  double timeout_s = 60;  // of one call
};
// `flags` outlives the app's parse and the verb's action.
void AddClusterFlags(CLI::App& app, ClusterFlags& flags);

// Life:   one per verb. Thread: confined to the main thread.
class ClusterClient {
 public:
  // INVALID_ARGUMENT: the address.
  static absl::StatusOr<std::unique_ptr<ClusterClient>> Connect(const ClusterFlags& flags);

  // The answer of a request that succeeded: an object with `member`, or with `diagnostics` of a
  // descriptor that is refused. Errors are the jobmanager's own (code and message), or UNAVAILABLE:
  // it cannot be reached; says where and what to do. INTERNAL: no jobmanager answers so.
  absl::StatusOr<Json> Get(const std::string& target, const char* member);
  absl::StatusOr<Json> Post(const std::string& target, const Json& body, const char* member);

  // Lets time pass. The first signal that came meanwhile or before, else 0.
  int Pause(absl::Duration duration);

 private:
  explicit ClusterClient(rpc::HttpEndpoint endpoint, absl::Duration timeout);
  absl::StatusOr<Json> Call(const std::string& method, const std::string& target,
                            const std::string& body, const char* member);

  const rpc::HttpEndpoint endpoint_;
  const absl::Duration timeout_;
  rpc::ControlLoop loop_;
  int signal_ = 0;
};

// "/v1/jobs/<reference>"
std::string JobTarget(const std::string& reference);
// `object` without its braces, for Console::OutJson.
std::string JsonMembers(const Json& object);

// Members of an answer, with a default where one is missing: another version may leave some out.
std::string TextOf(const Json& object, const char* name);
int64_t NumberOf(const Json& object, const char* name);
const Json& MemberOf(const Json& object, const char* name);

}  // namespace weir::cli
