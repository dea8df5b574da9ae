#include "taskmanager/connectors/file_sink_cleanup.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "common/base/status_macros.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"
#include "common/state/operator_state.h"
#include "taskmanager/connectors/part_names.h"
#include "taskmanager/connectors/pending_part.h"

namespace weir::connectors {
namespace {

constexpr uint64_t kOwnerBytesMax = 4096;
// Of a job's id in a message: as much as tells jobs apart.
constexpr size_t kOwnerCharactersShown = 8;

struct Contents {
  std::vector<std::string> temporaries;
  std::vector<std::pair<std::string, CheckpointId>> parts;
  CheckpointId highest = kNoCheckpoint;
  std::string owner;  // the job that held it last; empty: none
};

absl::StatusOr<Contents> Look(fs::FileSystem& files, const std::string& directory) {
  Contents contents;
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries, files.List(directory));
  for (const fs::DirectoryEntry& entry : entries) {
    if (entry.is_directory) continue;
    if (IsTemporaryPartName(entry.name)) {
      contents.temporaries.push_back(entry.name);
    } else if (const absl::optional<CheckpointId> id = CheckpointOfFinalPart(entry.name)) {
      contents.parts.emplace_back(entry.name, *id);
      contents.highest = std::max(contents.highest, *id);
    }
  }
  const absl::StatusOr<std::string> owner =
      fs::ReadWholeFile(files, fs::JoinPath(directory, kOwnerFileName), kOwnerBytesMax);
  if (!owner.ok() && !absl::IsNotFound(owner.status())) return owner.status();
  if (owner.ok()) contents.owner = std::string(absl::StripAsciiWhitespace(*owner));
  return contents;
}

absl::Status Refused(const FileSinkPlace& place, StringView why, StringView what_to_do,
                     absl::StatusCode code = absl::StatusCode::kFailedPrecondition) {
  return absl::Status(
      code, absl::StrCat("file sink: directory ", place.directory, " ", why, ". ", what_to_do));
}

// What a job that goes on must be told if its output is not where it was: to write on regardless
// would end with rows missing.
absl::Status NotWhereItWas(const FileSinkPlace& place, StringView what) {
  return Refused(place,
                 absl::StrCat("is where this job goes on writing after checkpoint ",
                              ToInt(place.restored), ", but ", what),
                 absl::StrCat("Put the directory back as it was, with its ", kOwnerFileName,
                              ", or start the job anew, with an empty output directory for each "
                              "file sink (a local run also with another --state-dir)"));
}

absl::Status CheckThere(fs::FileSystem& files, const FileSinkPlace& place) {
  if (place.restored == kNoCheckpoint || place.is_new) return absl::OkStatus();
  const absl::StatusOr<fs::FileStat> stat = files.Stat(place.directory);
  if (stat.ok()) return absl::OkStatus();
  return absl::IsNotFound(stat.status()) ? NotWhereItWas(place, "it is gone") : stat.status();
}

// Whether the job may clean this up and write here.
absl::Status CheckMine(const FileSinkPlace& place, const Contents& contents) {
  const bool is_mine = contents.owner == place.job.ToString();
  const bool has_files = !contents.temporaries.empty() || !contents.parts.empty();
  if (!is_mine && !contents.owner.empty() && has_files) {
    return Refused(
        place,
        absl::StrCat("holds output of an earlier run (job ",
                     contents.owner.substr(0, kOwnerCharactersShown), "...)"),
        "Remove the directory or choose another. Only that job itself writes on there: a "
        "local run does if it is given its --state-dir; on a cluster each `weir run` is a "
        "new job",
        absl::StatusCode::kAlreadyExists);
  }
  if (place.restored != kNoCheckpoint && is_mine) return absl::OkStatus();
  if (place.restored != kNoCheckpoint && !place.is_new) {
    return NotWhereItWas(
        place, contents.owner.empty()
                   ? absl::StrCat("its ", kOwnerFileName, " is missing")
                   : absl::StrCat("it now belongs to job ",
                                  contents.owner.substr(0, kOwnerCharactersShown), "..."));
  }
  if (!contents.parts.empty()) {
    return Refused(place,
                   absl::StrCat("already holds output, ", contents.parts.front().first,
                                " for one, and this sink starts with nothing"),
                   "Give the sink an empty directory or move the output away; a local run goes on "
                   "with its output if it is given its --state-dir");
  }
  if (!contents.temporaries.empty() && !is_mine) {
    return Refused(place,
                   absl::StrCat("holds unfinished output of an unknown job, ",
                                contents.temporaries.front(), " for one"),
                   "Give the sink an empty directory, or remove those files if no job needs them");
  }
  return absl::OkStatus();
}

absl::Status TakeLock(fs::FileSystem& files, const FileSinkPlace& place, SinkOwnership* ownership) {
  const std::string path = fs::JoinPath(place.directory, kOwnerFileName);
  absl::StatusOr<std::unique_ptr<fs::FileLock>> lock = files.Lock(path, place.job.ToString());
  if (lock.ok()) {
    // The owner's name must outlive a power cut: after one, the job has to know its own leftovers.
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<fs::WritableFile> owner, files.OpenAppend(path));
    WEIR_RETURN_IF_ERROR(owner->Sync());
    WEIR_RETURN_IF_ERROR(owner->Close());
    WEIR_RETURN_IF_ERROR(files.SyncDir(place.directory));
    ownership->Add(place.directory, *std::move(lock));
    return absl::OkStatus();
  }
  if (!absl::IsFailedPrecondition(lock.status())) return lock.status();
  if (absl::StrContains(lock.status().message(), place.job.ToString())) {
    return Refused(
        place, "is still held by an execution of this job before this one",
        "A taskmanager that is cut off or stands still may hold it: let it go on, or end "
        "its process");
  }
  return Refused(place,
                 absl::StrCat("is being written by a running job: ", lock.status().message()),
                 "Give this sink a directory of its own, or stop that job first");
}

// Takes the directory and looks into it; whoever looks before taking it may see what a job that is
// just ending still changes, so it is looked at again.
absl::StatusOr<Contents> Take(fs::FileSystem& files, const FileSinkPlace& place,
                              SinkOwnership* ownership) {
  WEIR_RETURN_IF_ERROR(CheckThere(files, place));
  WEIR_RETURN_IF_ERROR(files.MakeDirs(place.directory));
  WEIR_ASSIGN_OR_RETURN(const Contents before, Look(files, place.directory));
  // Someone removed the locked file: the lock keeps nobody away any more.
  if (before.owner.empty()) ownership->Drop(place.directory);
  if (!ownership->Owns(place.directory)) {
    // Taking the lock replaces the owner's name: a directory that is refused must keep it.
    WEIR_RETURN_IF_ERROR(CheckMine(place, before));
    WEIR_RETURN_IF_ERROR(TakeLock(files, place, ownership));
  }
  WEIR_ASSIGN_OR_RETURN(Contents contents, Look(files, place.directory));
  contents.owner = before.owner;
  WEIR_RETURN_IF_ERROR(CheckMine(place, contents));
  return contents;
}

// "<job id> <epoch> <generation>"; nullopt: of another job, which counts for nothing here.
std::optional<JobStart> ParseStart(StringView text, JobId job) {
  const std::vector<StringView> words = absl::StrSplit(absl::StripAsciiWhitespace(text), ' ');
  JobStart start;
  if (words.size() != 3 || words[0] != job.ToString()) return std::nullopt;
  if (!absl::SimpleAtoi(words[1], &start.epoch)) return std::nullopt;
  if (!absl::SimpleAtoi(words[2], &start.generation)) return std::nullopt;
  return start;
}

// REQUIRES: the directory is held, so that nobody else notes anything meanwhile.
absl::Status NoteStart(fs::FileSystem& files, const FileSinkPlace& place) {
  const std::string path = fs::JoinPath(place.directory, kStartFileName);
  const absl::StatusOr<std::string> text = fs::ReadWholeFile(files, path, kOwnerBytesMax);
  if (!text.ok() && !absl::IsNotFound(text.status())) return text.status();
  const std::optional<JobStart> last =
      text.ok() ? ParseStart(*text, place.job) : std::optional<JobStart>();
  if (last.has_value() && *last > place.start) {
    return absl::AbortedError(
        absl::StrCat("file sink: a later start of the job writes to ", place.directory,
                     "; this one was overtaken and leaves everything as it is. If the job's state "
                     "was put back from an older copy, remove ",
                     path));
  }
  if (last.has_value() && *last == place.start) return absl::OkStatus();
  return fs::PublishFile(files, path,
                         absl::StrCat(place.job.ToString(), " ", place.start.epoch, " ",
                                      place.start.generation, "\n"));
}

}  // namespace

absl::StatusOr<CheckpointId> CleanUpFileSink(fs::FileSystem& files, const FileSinkPlace& place,
                                             SinkOwnership* ownership) {
  std::set<std::string> named;
  for (const std::string& bytes : place.pending) {
    WEIR_ASSIGN_OR_RETURN(const PendingPart part, DecodePendingPart(bytes));
    named.insert(part.TemporaryName());
  }
  WEIR_ASSIGN_OR_RETURN(const Contents contents, Take(files, place, ownership));
  WEIR_RETURN_IF_ERROR(NoteStart(files, place));
  std::vector<std::string> leftovers;
  for (const std::string& name : contents.temporaries) {
    if (!named.contains(name)) leftovers.push_back(name);
  }
  for (const auto& [name, id] : contents.parts) {
    if (id > place.restored) leftovers.push_back(name);
  }
  for (const std::string& name : leftovers) {
    WEIR_RETURN_IF_ERROR(files.Remove(fs::JoinPath(place.directory, name)));
  }
  if (!leftovers.empty()) WEIR_RETURN_IF_ERROR(files.SyncDir(place.directory));
  return contents.highest;
}

absl::StatusOr<CheckpointId> PrepareSinks(fs::FileSystem& files, const graph::Plan& plan, JobId job,
                                          JobStart start, const RestoredLists& restored,
                                          SinkOwnership* ownership) {
  CheckpointId highest = kNoCheckpoint;
  std::set<std::string> seen;
  for (const graph::PlanNode& node : plan.nodes) {
    const graph::SinkSpec* spec = std::get_if<graph::SinkSpec>(&node.spec);
    if (spec == nullptr) continue;
    const graph::FileSinkOptions* options = std::get_if<graph::FileSinkOptions>(&spec->connector);
    if (options == nullptr) continue;
    FileSinkPlace place{
        .directory = options->path, .job = job, .start = start, .restored = restored.restored};
    if (!seen.insert(place.directory).second) {
      return Refused(place, "is written by two sinks of this job",
                     "Give each sink a directory of its own");
    }
    const auto handles = restored.handles.find(node.uid);
    place.is_new = handles == restored.handles.end() || handles->second.empty();
    if (!place.is_new) {
      state::OperatorState lists;
      WEIR_RETURN_IF_ERROR(lists.Restore(handles->second, *restored.inputs));
      WEIR_ASSIGN_OR_RETURN(const state::ListState* pending,
                            lists.Register(kPendingPartsList, state::ListMode::kSplitEven));
      place.pending = pending->elements;
    }
    WEIR_ASSIGN_OR_RETURN(const CheckpointId id, CleanUpFileSink(files, place, ownership));
    highest = std::max(highest, id);
  }
  return highest;
}

}  // namespace weir::connectors
