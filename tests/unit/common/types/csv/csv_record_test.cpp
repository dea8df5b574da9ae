#include "common/types/csv/csv_record.h"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace weir::types {
namespace {

std::vector<std::string> Fields(StringView record) {
  CsvRecordParser parser(',');
  const absl::Status status = parser.Parse(record);
  INFO(status.ToString());
  REQUIRE(status.ok());
  std::vector<std::string> texts;
  for (const CsvField& field : parser.fields()) {
    texts.push_back((field.quoted ? "q:" : "") + std::string(field.text));
  }
  return texts;
}

std::string ErrorOf(StringView record) {
  CsvRecordParser parser(',');
  return std::string(parser.Parse(record).message());
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("CsvRecordParser takes plain and quoted fields apart", "[types][unit]") {
  CHECK(Fields("a,b,c") == Texts{"a", "b", "c"});
  CHECK(Fields("") == Texts{""});
  CHECK(Fields(",") == Texts{"", ""});
  CHECK(Fields("a,") == Texts{"a", ""});
  CHECK(Fields(R"("a","",b)") == Texts{"q:a", "q:", "b"});
  CHECK(Fields(R"("a,b","c""d")") == Texts{"q:a,b", "q:c\"d"});
  CHECK(Fields(R"("""")") == Texts{"q:\""});
  CHECK(Fields(R"("x""y""","""z")") == Texts{"q:x\"y\"", "q:\"z"});
  CHECK(Fields("\"two\nlines\",1") == Texts{"q:two\nlines", "1"});
  CHECK(Fields(" a , b ") == Texts{" a ", " b "});
}

TEST_CASE("CsvRecordParser names the field that breaks the rules", "[types][unit]") {
  CHECK(ErrorOf(R"(a,b"c)") == "field 2 has a quote but does not begin with one");
  CHECK(ErrorOf(R"("a"b,c)") == "field 1 has text behind its closing quote");
  CHECK(ErrorOf(R"(a,"b)") == "field 2 has an opening quote without a closing one");
  CHECK(ErrorOf(R"(")") == "field 1 has an opening quote without a closing one");
}

TEST_CASE("A csv record ends at the line feed outside quotes", "[types][unit]") {
  CHECK(FindCsvRecordEnd("a,b\nc", 0, ',') == 3);
  CHECK(FindCsvRecordEnd("\"a\nb\",c\nd\n", 0, ',') == 7);
  CHECK(FindCsvRecordEnd("\"a\nb\",c\nd\n", 8, ',') == 9);
  CHECK(FindCsvRecordEnd("\"a\"\"\nb\"\n", 0, ',') == 7);
  CHECK(FindCsvRecordEnd("\"a\n", 0, ',') == StringView::npos);
  CHECK(FindCsvRecordEnd("abc", 0, ',') == StringView::npos);
}

TEST_CASE("A stray quote spoils its own csv record and none after it", "[types][unit]") {
  CHECK(FindCsvRecordEnd("1,a\"b\n2,c\n", 0, ',') == 5);
  CHECK(FindCsvRecordEnd("\"a\"b\"c\nd\n", 0, ',') == 6);
  CHECK(FindCsvRecordEnd("a;\"b\nc\"\n", 0, ',') == 4);
  CHECK(FindCsvRecordEnd("a;\"b\nc\"\n", 0, ';') == 7);
}

TEST_CASE("A csv record scan finds the same ends however the bytes are cut", "[types][unit]") {
  const std::string text = "a,\"b\n\"\"c\",d\ne\"f\n\"x\"y\n,\n";
  std::vector<size_t> ends;
  for (size_t at = 0, end = 0; (end = FindCsvRecordEnd(text, at, ',')) != StringView::npos;) {
    at = end + 1;
    ends.push_back(at);
  }
  REQUIRE(ends.size() == 4);
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    CsvRecordScan scan(',');
    std::vector<size_t> found;
    size_t offset = 0;
    while (offset < text.size()) {
      // Cuts fall on multiples of `piece`, wherever the scan stopped.
      const size_t size = std::min(piece - offset % piece, text.size() - offset);
      const size_t behind = scan.Take(StringView(text).substr(offset, size));
      offset += behind == StringView::npos ? size : behind;
      if (behind != StringView::npos) found.push_back(offset);
    }
    CHECK(found == ends);
  }
}

}  // namespace weir::types
