#include "common/fs/local/errno_status.h"

#include <cerrno>
#include <cstring>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::fs {
namespace {

struct Meaning {
  absl::StatusCode code;
  const char* advice;
};

Meaning MeaningOf(int error) {
  using Code = absl::StatusCode;
  switch (error) {
    case ENOENT:
      return {Code::kNotFound, "check the path"};
    case EEXIST:
      return {Code::kAlreadyExists, "choose another name"};
    case EACCES:
    case EPERM:
      return {Code::kPermissionDenied, "give this user access to it"};
    case EROFS:
      return {Code::kPermissionDenied, "mount it writable or choose another directory"};
    case ENOSPC:
      return {Code::kResourceExhausted, "free space on this file system"};
    case EDQUOT:
      return {Code::kResourceExhausted, "free space or raise this user's quota"};
    case EFBIG:
      return {Code::kResourceExhausted, "raise the file size limit"};
    case EMFILE:
    case ENFILE:
      return {Code::kResourceExhausted, "raise the limit of open files (ulimit -n)"};
    case EMLINK:
      return {Code::kResourceExhausted, "this file has too many names"};
    case EISDIR:
      return {Code::kFailedPrecondition, "a file is needed here, not a directory"};
    case ENOTDIR:
      return {Code::kFailedPrecondition, "a directory is needed here, not a file"};
    case ENOTEMPTY:
      return {Code::kFailedPrecondition, "the directory must be empty"};
    case EXDEV:
      return {Code::kFailedPrecondition, "both paths must be on one file system"};
    case ENAMETOOLONG:
    case EINVAL:
      return {Code::kInvalidArgument, "choose another path"};
    case EIO:
      return {Code::kDataLoss, "check the device; bytes may be lost"};
    default:
      return {Code::kUnavailable, "check the device"};
  }
}

}  // namespace

absl::Status StatusOfErrno(int error, StringView doing, const std::string& path) {
  WEIR_CHECK(error != 0);
  const Meaning meaning = MeaningOf(error);
  // The GNU variant is thread-safe and may return a pointer to its own text.
  char buffer[128];
  const char* const text = strerror_r(error, buffer, sizeof(buffer));
  return absl::Status(meaning.code,
                      absl::StrCat("cannot ", doing, " ", path, ": ", text, "; ", meaning.advice));
}

}  // namespace weir::fs
