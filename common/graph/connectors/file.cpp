#include "common/graph/connectors/file.h"

#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include "common/graph/format_options.h"
#include "common/graph/option_optional.h"

namespace weir::graph {

const config::OptionTable<FileSourceBlock>& FileSourceTable() {
  static const config::OptionTable<FileSourceOptions> file_table = [] {
    using O = FileSourceOptions;
    config::OptionTable<O> t("file source", "");
    t.Add("path", &O::path, config::TextOption{.type_text = "a path"},
          "The file to read, a regular one. It stays as it is until the job has read it: a file "
          "that has "
          "changed or grown since a checkpoint is refused. A row has at most 16 MiB; a longer one "
          "goes by `on_error`.")
        .Required();
    t.Add("rate", &O::rate, OptionalOption{config::RateOption{}},
          "Rows a second over all subtasks, such as 2000/s.")
        .Default("as fast as possible");
    return t;
  }();
  static const config::OptionTable<FileSourceBlock> table = [] {
    using O = FileSourceBlock;
    config::OptionTable<O> t("options of connector 'file'",
                             "Source: one file, read once, by several subtasks in parallel.");
    t.Include(&O::file, file_table);
    t.Add("scan", &O::scan, config::EnumOption<ScanMode>({{"once", ScanMode::kOnce}}),
          "The file is read to its end and not watched.");
    return t;
  }();
  return table;
}

const config::OptionTable<FileSinkOptions>& FileSinkTable() {
  static const config::OptionTable<FileSinkOptions> table = [] {
    using O = FileSinkOptions;
    config::OptionTable<O> t("options of connector 'file'",
                             "Sink: part files in a directory. Rows become visible when the "
                             "checkpoint that covers them is complete, each exactly once. Parts "
                             "that are complete may be moved away while the job goes on: a restore "
                             "looks only for those that its checkpoint was about to commit, and "
                             "does not notice that older ones are gone.");
    t.Add("path", &O::path, config::TextOption{.type_text = "a path"},
          "The directory; made if it is missing. It belongs to this sink alone.")
        .Required();
    return t;
  }();
  return table;
}

std::string NormalPath(StringView path) {
  const bool is_absolute = absl::StartsWith(path, "/");
  std::vector<StringView> names;
  for (const StringView name : absl::StrSplit(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == ".." && !names.empty() && names.back() != "..") {
      names.pop_back();
    } else if (name != ".." || !is_absolute) {
      names.push_back(name);
    }
  }
  const std::string joined = absl::StrCat(is_absolute ? "/" : "", absl::StrJoin(names, "/"));
  return joined.empty() ? "." : joined;
}

std::string FileSourceSignature(const FileSourceOptions& options, const FormatSpec& format) {
  return absl::StrCat("source file path=", options.path, " format=", FormatName(format.kind));
}

std::string FileSinkSignature(const FormatSpec& format) {
  return absl::StrCat("sink file format=", FormatName(format.kind));
}

}  // namespace weir::graph
