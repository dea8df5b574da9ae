// What must hold: all errors are shown at once, in the order of the file, in the documented look.
#include "common/config/diagnostic.h"

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "common/config/diagnostic_text.h"
#include "common/config/names.h"

namespace weir::config {

namespace {

// The text of a file of `count` lines, of which line `line` is `content`.
SourcePtr FileWithLine(std::string name, size_t line, const std::string& content) {
  return MakeSource(std::move(name), std::string(line - 1, '\n') + content + "\n");
}

SourceRange RangeOf(const SourcePtr& source, StringView part) {
  const size_t begin = source->text().find(part);
  REQUIRE(begin != StringView::npos);
  return {source, begin, begin + part.size()};
}

Diagnostic ErrorOnLine(const SourcePtr& source, size_t offset, std::string message) {
  return MakeDiagnostic(Severity::kError, codes::kBadValue, {source, offset, offset + 1}, "",
                        std::move(message));
}

}  // namespace

TEST_CASE("RenderText shows a snippet, reasons and help", "[config][unit]") {
  const SourcePtr source = FileWithLine("q3.yaml", 58, "    connector: file");
  Diagnostic diagnostic = MakeDiagnostic(
      Severity::kError, codes::kSinkChangelog, RangeOf(source, "connector"), "/sinks/audit",
      "sink 'audit' writes append rows, but its input is an updating stream");
  diagnostic.Label("connector 'file' defaults to `changelog: append`")
      .Because("'seller_match' (q3.yaml:39:3) is upsert key(auction_id):")
      .Because("its right input 'local_people' <- 'person' (q3.yaml:17:5) has `changelog: upsert`")
      .Help("write the change log            changelog: log")
      .Help("or keep the last row per key    changelog: upsert   with key: [auction_id]")
      .Help("or drop deletes knowingly       changelog: insert_only");

  CHECK(RenderText(diagnostic, Colour::kOff) ==
        "q3.yaml:58:5: error: sink 'audit' writes append rows, but its input is an updating stream "
        "[E0412]\n"
        "   |\n"
        "58 |     connector: file\n"
        "   |     ^^^^^^^^^ connector 'file' defaults to `changelog: append`\n"
        "   = because: 'seller_match' (q3.yaml:39:3) is upsert key(auction_id):\n"
        "              its right input 'local_people' <- 'person' (q3.yaml:17:5) has `changelog: "
        "upsert`\n"
        "   = help: write the change log            changelog: log\n"
        "           or keep the last row per key    changelog: upsert   with key: [auction_id]\n"
        "           or drop deletes knowingly       changelog: insert_only\n");
}

TEST_CASE("RenderText puts the label behind the carets", "[config][unit]") {
  const SourcePtr source = FileWithLine("hot.yaml", 31, "    where: price > 100 and pric < 900");
  Diagnostic diagnostic =
      MakeDiagnostic(Severity::kError, codes::kUnknownColumn, RangeOf(source, "pric <"),
                     "/transforms/hot/where", "unknown column 'pric' in expression");
  diagnostic.range.end -= 2;
  diagnostic.Label("did you mean 'price'? columns of 'bids': auction, bidder, price, channel, ts");

  CHECK(RenderText(diagnostic, Colour::kOff) ==
        "hot.yaml:31:28: error: unknown column 'pric' in expression [E0203]\n"
        "   |\n"
        "31 |     where: price > 100 and pric < 900\n"
        "   |                            ^^^^ did you mean 'price'? columns of 'bids': auction, "
        "bidder, price, channel, ts\n");
}

TEST_CASE("RenderText needs one line for what explains itself", "[config][unit]") {
  const SourcePtr source = FileWithLine("hot.yaml", 12, "      idle-timout: 3s");
  Diagnostic unknown =
      MakeDiagnostic(Severity::kError, codes::kUnknownKey, RangeOf(source, "idle-timout"), "",
                     "unknown key 'idle-timout' in event_time");
  unknown.Suggest("did you mean 'idle_timeout'?");
  CHECK(RenderText(unknown, Colour::kOff) ==
        "hot.yaml:12:7: error: unknown key 'idle-timout' in event_time [E0101]; did you mean "
        "'idle_timeout'?\n");

  const SourcePtr state = FileWithLine("hot.yaml", 22, "  totals:");
  const Diagnostic warning =
      MakeDiagnostic(Severity::kWarning, codes::kUnboundedState, RangeOf(state, "totals"), "",
                     "state of 'totals' grows without bound: `state_ttl: none`");
  CHECK(RenderText(warning, Colour::kOff) ==
        "hot.yaml:22:3: warning: state of 'totals' grows without bound: `state_ttl: none` "
        "[W0301]\n");
}

TEST_CASE("RenderText needs no place", "[config][unit]") {
  const Diagnostic diagnostic =
      MakeDiagnostic(Severity::kError, codes::kUnreadableFile, {}, "", "cannot read 'x.yaml'");
  CHECK(RenderText(diagnostic, Colour::kOff) == "weir: error: cannot read 'x.yaml' [E0118]\n");
}

TEST_CASE("RenderText underlines a range over several lines up to the end of the first",
          "[config][unit]") {
  const SourcePtr source = MakeSource("a.yaml", "a: |\n  x\nb: 1\n");
  const Diagnostic diagnostic =
      MakeDiagnostic(Severity::kError, codes::kBadValue, {source, 3, 8}, "", "bad");
  CHECK(RenderText(diagnostic, Colour::kOff) ==
        "a.yaml:1:4: error: bad [E0105]\n   |\n1  | a: |\n   |    ^\n");
}

TEST_CASE("RenderText cuts a long line around the place", "[config][unit]") {
  const std::string line = std::string(500, 'x') + "HERE" + std::string(500, 'y');
  const SourcePtr source = MakeSource("a.yaml", line);
  const Diagnostic diagnostic =
      MakeDiagnostic(Severity::kError, codes::kBadValue, RangeOf(source, "HERE"), "", "bad");
  CHECK(RenderText(diagnostic, Colour::kOff) ==
        "a.yaml:1:501: error: bad [E0105]\n   |\n1  | ..." + std::string(60, 'x') + "HERE" +
            std::string(96, 'y') + "...\n   | " + std::string(63, ' ') + "^^^^\n");
}

TEST_CASE("RenderText colours only when asked", "[config][unit]") {
  const SourcePtr source = MakeSource("a.yaml", "a: 1");
  const Diagnostic diagnostic = ErrorOnLine(source, 3, "bad");
  CHECK(RenderText(diagnostic, Colour::kOff).find('\x1b') == std::string::npos);
  CHECK(RenderText(diagnostic, Colour::kOn).find("\x1b[1;31merror:\x1b[0m") != std::string::npos);
}

TEST_CASE("RenderJson has the documented fields", "[config][unit]") {
  const SourcePtr source = MakeSource("a \"b\".yaml", "x: 1\nä: \"zwei\"\n");
  Diagnostic diagnostic = MakeDiagnostic(Severity::kError, codes::kBadValue,
                                         RangeOf(source, "\"zwei\""), "/ä", "bad\n\t\x01");
  diagnostic.Because("why").Help("what").Suggest("this?");
  CHECK(RenderJson(diagnostic) ==
        R"({"file":"a \"b\".yaml","line":2,"column":4,"end_line":2,"end_column":10,)"
        R"("severity":"error","code":"E0105","message":"bad\n\t\u0001","because":["why"],)"
        R"("help":["this?","what"],"path":"/ä"})");

  Diagnostics diagnostics;
  CHECK(RenderJson(diagnostics) == "[]");
  diagnostics.Add(MakeDiagnostic(Severity::kNote, codes::kGlobalGroup, {}, "", "a"));
  diagnostics.Add(MakeDiagnostic(Severity::kNote, codes::kGlobalGroup, {}, "", "b"));
  const std::string note =
      R"({"file":null,"line":0,"column":0,"end_line":0,"end_column":0,"severity":"note",)"
      R"("code":"N0401","message":")";
  const std::string rest = R"(","because":[],"help":[],"path":""})";
  CHECK(RenderJson(diagnostics) == "[" + note + "a" + rest + "," + note + "b" + rest + "]");
}

TEST_CASE("AppendJsonString replaces bytes that are no text", "[config][unit]") {
  std::string out;
  AppendJsonString("a\xFFz\\", &out);
  CHECK(out == "\"a\xEF\xBF\xBDz\\\\\"");
}

TEST_CASE("A value without lines of its own is named without a place", "[config][unit]") {
  const SourcePtr source = MakeSource("-D a.b=1", "a:\n  b: 1\n", TextForm::kOneValue);
  const auto error = [&] {
    return MakeDiagnostic(Severity::kError, codes::kBadValue, {source, 5, 6}, "", "bad");
  };
  CHECK(RenderText(error().Label("why").Help("what"), Colour::kOff) ==
        "-D a.b=1: error: bad [E0105]\n   = because: why\n   = help: what\n");
  CHECK(RenderText(error().Advise("do"), Colour::kOff) ==
        "-D a.b=1: error: bad [E0105]\n   = help: do\n");
  Diagnostics diagnostics;
  diagnostics.Add(error());
  CHECK(diagnostics.ToStatus().message() == "-D a.b=1: bad [E0105]");
}

TEST_CASE("What has no place is said by the program", "[config][unit]") {
  const Diagnostic error = MakeDiagnostic(Severity::kError, codes::kBadValue, {}, "", "bad");
  CHECK(RenderText(error, Colour::kOff) == "weir: error: bad [E0105]\n");
  CHECK(RenderText(error, Colour::kOff, "weir-jobmanager") ==
        "weir-jobmanager: error: bad [E0105]\n");
}

TEST_CASE("Diagnostics sorts by place and ignores repetition", "[config][unit]") {
  const SourcePtr source = MakeSource("a.yaml", "abcdef");
  Diagnostics diagnostics;
  diagnostics.Add(ErrorOnLine(source, 4, "late"));
  diagnostics.Add(ErrorOnLine(source, 1, "early"));
  diagnostics.Add(ErrorOnLine(source, 4, "late"));
  const std::vector<Diagnostic> sorted = diagnostics.Sorted();
  REQUIRE(sorted.size() == 2);
  CHECK(sorted[0].message == "early");
  CHECK(sorted[1].message == "late");
  CHECK(diagnostics.error_count() == 2);
  CHECK(diagnostics.ToStatus().message() == "a.yaml:1:2: early [E0105] (and 1 more)");
}

TEST_CASE("Diagnostics lets no error or warning of any code be without advice", "[config][unit]") {
  for (const DiagnosticCode& code : AllDiagnosticCodes()) {
    const std::string id = code.id;
    CAPTURE(id);
    const Severity severity = id[0] == 'E' ? Severity::kError : Severity::kWarning;
    Diagnostics diagnostics;
    diagnostics.Add(MakeDiagnostic(severity, code, {}, "", "bad").Label("here"));
    CHECK(diagnostics.Sorted().front().help == std::vector<std::string>{code.help});
    CHECK(RenderText(diagnostics, Colour::kOff).find("= help: ") != std::string::npos);
  }
}

TEST_CASE("Diagnostics adds no general advice where something better is said", "[config][unit]") {
  Diagnostics diagnostics;
  diagnostics.Add(MakeDiagnostic(Severity::kError, codes::kBadValue, {}, "", "a").Help("own"));
  diagnostics.Add(MakeDiagnostic(Severity::kError, codes::kBadValue, {}, "", "b").Suggest("own"));
  diagnostics.Add(MakeDiagnostic(Severity::kError, codes::kBadValue, {}, "", "c").Advise("own"));
  diagnostics.Add(MakeDiagnostic(Severity::kNote, codes::kGlobalGroup, {}, "", "d"));
  for (const Diagnostic& diagnostic : diagnostics.Sorted()) {
    CAPTURE(diagnostic.message);
    CHECK(diagnostic.help.size() == (diagnostic.message == "a" ? 1 : 0));
  }
}

TEST_CASE("Diagnostics shows the limit of errors and counts the rest", "[config][unit]") {
  const SourcePtr source = MakeSource("a.yaml", std::string(200, 'x'));
  Diagnostics diagnostics;
  // From the end to the start: the ones that stand first are shown, not those found first.
  for (size_t i = 0; i < kShownErrorsMax; ++i) {
    diagnostics.Add(ErrorOnLine(source, 100 - i, "bad"));
  }
  CHECK(diagnostics.HiddenCount() == 0);
  CHECK(diagnostics.Sorted().size() == kShownErrorsMax);
  diagnostics.Add(ErrorOnLine(source, 2, "bad"));
  CHECK(diagnostics.HiddenCount() == 1);
  REQUIRE(diagnostics.Sorted().size() == kShownErrorsMax);
  CHECK(diagnostics.Sorted().front().range.begin == 2);
  const std::string text = RenderText(diagnostics, Colour::kOff);
  CHECK(text.substr(text.size() - 17) == "1 more not shown\n");
}

TEST_CASE("Diagnostics keeps errors rather than warnings", "[config][unit]") {
  const SourcePtr source = MakeSource("a.yaml", std::string(4000, 'x'));
  Diagnostics diagnostics;
  for (size_t i = 0; i < kKeptDiagnosticsMax; ++i) {
    diagnostics.Add(
        MakeDiagnostic(Severity::kWarning, codes::kUnusedStep, {source, i, i}, "", "w"));
  }
  diagnostics.Add(ErrorOnLine(source, 3999, "bad"));
  const std::vector<Diagnostic> sorted = diagnostics.Sorted();
  CHECK(sorted.size() == kShownErrorsMax + 1);
  CHECK(sorted.back().message == "bad");
  CHECK(diagnostics.HiddenCount() == kKeptDiagnosticsMax - kShownErrorsMax);
}

TEST_CASE("Diagnostics without errors is an OK status", "[config][unit]") {
  Diagnostics diagnostics;
  diagnostics.Add(MakeDiagnostic(Severity::kWarning, codes::kUnusedStep, {}, "", "w"));
  CHECK_FALSE(diagnostics.HasErrors());
  CHECK(diagnostics.ToStatus().ok());
}

TEST_CASE("Diagnostic codes are different and well formed", "[config][unit]") {
  std::set<std::string> ids;
  for (const DiagnosticCode& code : AllDiagnosticCodes()) {
    const std::string id = code.id;
    CAPTURE(id);
    CHECK(id.size() == 5);
    CHECK((id[0] == 'E' || id[0] == 'W' || id[0] == 'N'));
    CHECK(ids.insert(id).second);
    CHECK(StringView(code.explanation).substr(StringView(code.explanation).size() - 1) == ".");
    CHECK(StringView(code.help).size() > 5);
  }
  REQUIRE(FindDiagnosticCode("E0412") != nullptr);
  CHECK(StringView(FindDiagnosticCode("E0412")->id) == "E0412");
  CHECK(FindDiagnosticCode("E9999") == nullptr);
}

}  // namespace weir::config
