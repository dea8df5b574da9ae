// The one place where yaml-cpp runs: its exceptions end here.
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "common/config/document.h"
#include "common/config/node_builder.h"
#include "common/config/utf8.h"
#include "common/config/values.h"
#include "common/config/yaml_errors.h"

namespace weir::config {

namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";

// Remembers only where a second document starts.
class StartRecorder final : public YAML::EventHandler {
 public:
  bool has_started() const { return has_started_; }
  size_t start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    has_started_ = true;
    start_ = mark.pos < 0 ? 0 : static_cast<size_t>(mark.pos);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  bool has_started_ = false;
  size_t start_ = 0;
};

Diagnostic FileError(const DiagnosticCode& code, const SourcePtr& source, size_t at,
                     std::string message) {
  const size_t end = std::min(at + 1, source->text().size());
  return MakeDiagnostic(Severity::kError, code, {source, at, end}, "", std::move(message));
}

// False: the bytes are no text of an acceptable size.
bool CheckText(const SourcePtr& source, Diagnostics* diagnostics) {
  const StringView text = source->text();
  if (text.size() > kDocumentBytesMax) {
    diagnostics->Add(
        FileError(codes::kLimitExceeded, source, 0,
                  absl::StrCat("the file is larger than ", ByteSizeText(kDocumentBytesMax)))
            .Help("a descriptor holds no data: put that into files, and read them by a source"));
    return false;
  }
  const size_t invalid = FindInvalidUtf8(text);
  if (invalid != StringView::npos) {
    diagnostics->Add(FileError(codes::kNotText, source, invalid, "the file is not UTF-8 text")
                         .Because(absl::StrCat("byte ", invalid, " starts no character")));
    return false;
  }
  const size_t control = FindControlCharacter(text);
  if (control != StringView::npos) {
    diagnostics->Add(FileError(codes::kNotText, source, control, "the file has a control character")
                         .Suggest("write it as an escape in a double-quoted text"));
    return false;
  }
  return true;
}

void ReportSecondDocument(const SourcePtr& source, size_t at, Diagnostics* diagnostics) {
  const bool is_marked = absl::StartsWith(source->text().substr(at), "---");
  if (is_marked) {
    diagnostics->Add(
        FileError(codes::kSeveralDocuments, source, at, "a second document starts here")
            .Help("a file holds one document; put the second into a file of its own"));
    return;
  }
  diagnostics->Add(
      FileError(codes::kYamlSyntax, source, at, "the text does not belong to what stands above it")
          .Help("check the indentation, and quote a value that has [, ] or {"));
}

}  // namespace

std::unique_ptr<Document> ParseYaml(const SourcePtr& source, Diagnostics* diagnostics) {
  if (!CheckText(source, diagnostics)) return nullptr;
  const StringView text = source->text();
  const size_t offset = absl::StartsWith(text, kByteOrderMark) ? sizeof(kByteOrderMark) - 1 : 0;
  auto document = std::make_unique<Document>(source);
  NodeBuilder builder(document.get(), offset, diagnostics);
  try {
    std::istringstream input{std::string(text.substr(offset))};
    YAML::Parser parser(input);
    parser.HandleNextDocument(builder);
    if (builder.has_failed()) return nullptr;
    StartRecorder second;
    parser.HandleNextDocument(second);
    if (second.has_started()) {
      ReportSecondDocument(source, std::min(second.start() + offset, text.size()), diagnostics);
      return nullptr;
    }
  } catch (const YAML::Exception& error) {
    if (builder.has_failed()) return nullptr;
    const size_t mark = error.mark.pos < 0 ? 0 : static_cast<size_t>(error.mark.pos) + offset;
    diagnostics->Add(
        ExplainYamlError(error.msg, source, std::min(mark, text.size()), builder.OpenFlow()));
    return nullptr;
  } catch (const std::exception& error) {
    if (builder.has_failed()) return nullptr;
    diagnostics->Add(FileError(codes::kYamlSyntax, source, 0, error.what()));
    return nullptr;
  }
  builder.Finish();
  return document;
}

}  // namespace weir::config
