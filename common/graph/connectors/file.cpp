#include "common/graph/connectors/file.h"

#include <absl/strings/str_cat.h>

#include "common/graph/format_options.h"
#include "common/graph/option_optional.h"

namespace weir::graph {

const config::OptionTable<FileSourceBlock>& FileSourceTable() {
  static const config::OptionTable<FileSourceOptions> file_table = [] {
    using O = FileSourceOptions;
    config::OptionTable<O> t("file source", "");
    t.Add("path", &O::path, config::TextOption{.type_text = "a path"}, "The file to read.")
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
                             "checkpoint that covers them is complete, each exactly once.");
    t.Add("path", &O::path, config::TextOption{.type_text = "a path"},
          "The directory; made if it is missing. It belongs to this job alone.")
        .Required();
    return t;
  }();
  return table;
}

std::string FileSourceSignature(const FileSourceOptions& options, const FormatSpec& format) {
  return absl::StrCat("source file path=", options.path, " format=", FormatName(format.kind));
}

std::string FileSinkSignature(const FormatSpec& format) {
  return absl::StrCat("sink file format=", FormatName(format.kind));
}

}  // namespace weir::graph
