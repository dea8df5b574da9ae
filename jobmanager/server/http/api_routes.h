// ApiRoutes: which question each address of the jobmanager's HTTP interface asks (docs/api.md).
// Wire adapter: decode, call, encode.
#pragma once

#include <vector>

#include "common/rpc/http/http_server.h"
#include "jobmanager/dispatcher/job_api.h"

namespace weir::server {

// Life: `api` outlives it. Thread: the control loop's.
class ApiRoutes {
 public:
  explicit ApiRoutes(dispatcher::JobApi& api) : api_(api) {}

  // The methods that a path has, for HttpServerOptions; none: there is no such path.
  static std::vector<std::string> MethodsOf(StringView path);

  // `respond` is called once, now or when the api is done.
  void Handle(rpc::HttpRequest request, rpc::HttpRespond respond);

 private:
  using Parts = std::vector<std::string>;  // of the path behind /v1/

  void HandleV1(const Parts& parts, const rpc::HttpRequest& request, rpc::HttpRespond respond);
  void HandleJob(const Parts& parts, const rpc::HttpRequest& request, rpc::HttpRespond respond);
  void List(const rpc::HttpRequest& request, rpc::HttpRespond respond);
  void Submit(const rpc::HttpRequest& request, rpc::HttpRespond respond);
  void Logs(const rpc::HttpRequest& request, rpc::HttpRespond respond);
  rpc::HttpResponse Health(const rpc::HttpRequest& request) const;

  dispatcher::JobApi& api_;
};

// The HTTP status that an outcome has.
int HttpStatusOf(const absl::Status& status);

}  // namespace weir::server
