// What must hold: the tree says what the file says, no value is interpreted, every node knows where
// it stands, and nothing that a file contains can exhaust memory or stack.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/common/config/parsed_text.h"

namespace weir::config {

namespace {

// The bytes of the file that a node stands for.
std::string Written(const Node& node) {
  const SourceRange range = node.range();
  return std::string(range.source->text().substr(range.begin, range.end - range.begin));
}

const Node& At(const ParsedText& parsed, std::initializer_list<const char*> keys) {
  const Node* node = &parsed.root();
  for (const char* key : keys) {
    node = node->Find(key);
    REQUIRE(node != nullptr);
  }
  return *node;
}

std::string FirstError(const std::string& text) {
  const ParsedText parsed(text);
  REQUIRE(parsed.diagnostics.HasErrors());
  const Diagnostic first = parsed.diagnostics.Sorted().front();
  return first.range.ToString() + " " + first.message + " [" + first.code.id + "]";
}

std::string Nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_CASE("ParseYaml keeps the text of scalars", "[config][unit]") {
  const ParsedText parsed("a: no\nb: on\nc: 12:30\nd: 012\ne: 500.10\nf: 'it''s'\ng: \"x\\ty\"\n");
  REQUIRE(parsed.document != nullptr);
  CHECK(At(parsed, {"a"}).text() == "no");
  CHECK(At(parsed, {"b"}).text() == "on");
  CHECK(At(parsed, {"c"}).text() == "12:30");
  CHECK(At(parsed, {"d"}).text() == "012");
  CHECK(At(parsed, {"e"}).text() == "500.10");
  CHECK(At(parsed, {"f"}).text() == "it's");
  CHECK(At(parsed, {"f"}).style() == ScalarStyle::kSingleQuoted);
  CHECK(At(parsed, {"g"}).text() == "x\ty");
  CHECK(At(parsed, {"g"}).style() == ScalarStyle::kDoubleQuoted);
}

TEST_CASE("ParseYaml keeps the order of keys and items", "[config][unit]") {
  const ParsedText parsed("z: 1\na: 2\nm: [3, 4]\n");
  const Node& root = parsed.root();
  REQUIRE(root.entries().size() == 3);
  CHECK(root.entries()[0].key->text() == "z");
  CHECK(root.entries()[1].key->text() == "a");
  REQUIRE(root.entries()[2].value->items().size() == 2);
  CHECK(root.entries()[2].value->items()[1]->text() == "4");
  CHECK(root.Find("y") == nullptr);
}

TEST_CASE("ParseYaml gives every node its bytes", "[config][unit]") {
  const ParsedText parsed(
      "top: plain text  # why\n"
      "quoted: \"a \\\"b\\\"\"   \n"
      "flow: {x: [1, 2 ], 'y': ~ , z: }  # end ]\n"
      "block: |\n"
      "  one\n"
      "  two\n"
      "\n"
      "list:\n"
      "  - &anchor first\n"
      "  - multi\n"
      "    line\n"
      "  -\n"
      "last: null\n");
  REQUIRE(parsed.document != nullptr);
  CHECK(Written(At(parsed, {"top"})) == "plain text");
  CHECK(Written(At(parsed, {"quoted"})) == "\"a \\\"b\\\"\"");
  CHECK(Written(At(parsed, {"flow"})) == "{x: [1, 2 ], 'y': ~ , z: }");
  CHECK(Written(At(parsed, {"flow", "x"})) == "[1, 2 ]");
  CHECK(Written(*At(parsed, {"flow", "x"}).items()[1]) == "2");
  CHECK(Written(*At(parsed, {"flow", "y"}).key()) == "'y'");
  CHECK(Written(At(parsed, {"flow", "y"})) == "~");
  CHECK(At(parsed, {"flow", "y"}).IsNull());
  CHECK(Written(At(parsed, {"flow", "z"})).empty());
  CHECK(At(parsed, {"flow", "z"}).IsNull());
  CHECK(Written(At(parsed, {"block"})) == "|\n  one\n  two");
  const Node& list = At(parsed, {"list"});
  CHECK(Written(list) == "- &anchor first\n  - multi\n    line\n  -");
  CHECK(Written(*list.items()[0]) == "first");
  CHECK(Written(*list.items()[1]) == "multi\n    line");
  CHECK(list.items()[1]->text() == "multi line");
  CHECK(list.items()[2]->range().Begin() == LineColumn{12, 4});
  CHECK(Written(At(parsed, {"last"})) == "null");
}

TEST_CASE("ParseYaml tells a missing value from a key named null", "[config][unit]") {
  const ParsedText parsed("a:\nnull: 1\nb:\n  null\nc:\n  d:\nNull: 2\ne: {f: , null: 3}\n");
  REQUIRE(parsed.document != nullptr);
  CHECK(Written(At(parsed, {"a"})).empty());
  CHECK(At(parsed, {"a"}).range().Begin() == LineColumn{1, 3});
  CHECK(At(parsed, {"null"}).text() == "1");
  CHECK(Written(At(parsed, {"b"})) == "null");
  CHECK(Written(At(parsed, {"c", "d"})).empty());
  CHECK(At(parsed, {"Null"}).text() == "2");
  CHECK(Written(At(parsed, {"e", "f"})).empty());
  CHECK(At(parsed, {"e", "null"}).text() == "3");
}

TEST_CASE("ParseYaml counts bytes after a byte order mark and CRLF", "[config][unit]") {
  const ParsedText parsed(
      "\xEF\xBB\xBF"
      "ä: ü\r\nb: |\r\n  x\r\n  y\r\n");
  REQUIRE(parsed.document != nullptr);
  CHECK(Written(At(parsed, {"ä"})) == "ü");
  CHECK(At(parsed, {"b"}).range().Begin() == LineColumn{2, 4});
}

TEST_CASE("Node has an RFC 6901 path and a name", "[config][unit]") {
  const ParsedText parsed("a/b:\n  c~d: [x, {e: f}]\n");
  const Node& leaf = *At(parsed, {"a/b", "c~d"}).items()[1]->Find("e");
  CHECK(leaf.Path() == "/a~1b/c~0d/1/e");
  CHECK(leaf.Name() == "e");
  CHECK(leaf.parent()->Name() == "1");
  CHECK(leaf.key()->Path() == leaf.Path());
  CHECK(parsed.root().Path().empty());
  CHECK(parsed.root().Name().empty());
}

TEST_CASE("ParseYaml reads an empty file as nothing", "[config][unit]") {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n"}) {
    const ParsedText parsed(text);
    REQUIRE(parsed.document != nullptr);
    CHECK(parsed.root().IsNull());
    CHECK(DescribeFound(parsed.root()) == "nothing");
  }
}

TEST_CASE("ParseYaml reports duplicate keys with both places and goes on", "[config][unit]") {
  const ParsedText parsed("a: 1\nb: {c: 1, c: 2}\na: {x: 3}\n");
  REQUIRE(parsed.document != nullptr);
  CHECK(At(parsed, {"a"}).text() == "1");
  CHECK(At(parsed, {"b"}).entries().size() == 1);
  const std::vector<Diagnostic> sorted = parsed.diagnostics.Sorted();
  REQUIRE(sorted.size() == 2);
  CHECK(sorted[0].range.Begin() == LineColumn{2, 11});
  CHECK(sorted[1].range.Begin() == LineColumn{3, 1});
  REQUIRE(sorted[1].because.size() == 1);
  CHECK(sorted[1].because[0] == "it is set first at job.yaml:1:1");
}

TEST_CASE("ParseYaml expands aliases as copies with their own path", "[config][unit]") {
  const ParsedText parsed("x-a: &a {p: [1, 2]}\nb: *a\nc: [*a, *a]\n");
  REQUIRE(parsed.document != nullptr);
  CHECK(At(parsed, {"b", "p"}).Path() == "/b/p");
  CHECK(At(parsed, {"c"}).items()[1]->Find("p")->items()[1]->Path() == "/c/1/p/1");
  CHECK(At(parsed, {"b", "p"}).range().Begin() == LineColumn{1, 13});
}

TEST_CASE("ParseYaml limits what aliases expand to", "[config][unit]") {
  // A list of 99 texts is 100 nodes.
  std::string text = "x-a: &a [";
  for (int i = 0; i < 99; ++i) text += i == 0 ? "y" : ", y";
  text += "]\nlist:\n";
  for (int i = 0; i < 100; ++i) text += "- *a\n";
  CHECK_FALSE(ParsedText(text).diagnostics.HasErrors());
  CHECK(FirstError(text + "- *a\n") ==
        "job.yaml:103:3 aliases expand to more than 10000 values [E0109]");
}

TEST_CASE("ParseYaml survives aliases that double at each step", "[config][unit]") {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    text += name + ": &" + name + " [" + before + ", " + before + "]\n";
  }
  CHECK(FirstError(text).find("aliases expand to more than 10000 values") != std::string::npos);
}

TEST_CASE("ParseYaml refuses bad aliases, tags and merge keys", "[config][unit]") {
  CHECK(FirstError("a: *b\n") == "job.yaml:1:4 the alias names no anchor above it [E0112]");
  CHECK(FirstError("a: &x [*x]\n") == "job.yaml:1:8 the alias contains itself [E0112]");
  CHECK(FirstError("a: !!str 12\n") == "job.yaml:1:4 YAML tags are not supported [E0116]");
  CHECK(FirstError("x-a: &a {b: 1}\nc:\n  <<: *a\n") ==
        "job.yaml:3:3 the merge key `<<` is not supported [E0110]");
  CHECK(FirstError("? [a]\n: b\n") ==
        "job.yaml:1:3 a key must be a single text, not a list [E0104]");
}

TEST_CASE("ParseYaml takes one document", "[config][unit]") {
  CHECK_FALSE(ParsedText("---\na: 1\n...\n").diagnostics.HasErrors());
  CHECK(FirstError("a: 1\n---\nb: 2\n") == "job.yaml:2:1 a second document starts here [E0111]");
}

TEST_CASE("ParseYaml reads down to the deepest level and not below", "[config][unit]") {
  CHECK_FALSE(ParsedText(Nested(kNodeDepthMax)).diagnostics.HasErrors());
  CHECK(FirstError(Nested(kNodeDepthMax + 1)) ==
        "job.yaml:1:201 the file is nested deeper than 200 levels [E0109]");
  CHECK(FirstError(Nested(100'000)) ==
        "job.yaml:1:201 the file is nested deeper than 200 levels [E0109]");
  // Through an alias: 150 levels inside 100.
  const std::string text = "x-a: &a " + Nested(150) + "\nb: " + std::string(100, '[') + "*a" +
                           std::string(100, ']') + "\n";
  CHECK(FirstError(text) == "job.yaml:2:104 the file is nested deeper than 200 levels [E0109]");
}

TEST_CASE("ParseYaml limits the number of nodes", "[config][unit]") {
  std::string text = "[x";
  for (size_t i = 2; i < kNodeCountMax; ++i) text += ",x";
  const ParsedText full(text + "]");
  CHECK_FALSE(full.diagnostics.HasErrors());
  REQUIRE(full.document != nullptr);
  CHECK(full.document->node_count() == kNodeCountMax);
  CHECK(FirstError(text + ",x]").find("the file has more than 200000 values [E0109]") !=
        std::string::npos);
}

TEST_CASE("ParseYaml limits the size of the file", "[config][unit]") {
  const std::string comment = "#" + std::string(kDocumentBytesMax - 1, 'x');
  CHECK_FALSE(ParsedText(comment).diagnostics.HasErrors());
  CHECK(FirstError(comment + "x") == "job.yaml:1:1 the file is larger than 4mb [E0109]");
}

TEST_CASE("ParseYaml refuses bytes that are not text", "[config][unit]") {
  CHECK(FirstError("a: \xFF\n") == "job.yaml:1:4 the file is not UTF-8 text [E0113]");
  CHECK(FirstError(std::string("a: x\0y\n", 7)) ==
        "job.yaml:1:5 the file has a control character [E0113]");
  // yaml-cpp takes this byte for the end of the file.
  CHECK(FirstError("a: 1\n\x04\nb: 2\n") ==
        "job.yaml:2:1 the file has a control character [E0113]");
}

TEST_CASE("DescribeFound cuts long texts", "[config][unit]") {
  const ParsedText parsed("a: {}\nb: []\nc: ~\nd: " + std::string(50, 'x') + "\n");
  CHECK(DescribeFound(At(parsed, {"a"})) == "a map");
  CHECK(DescribeFound(At(parsed, {"b"})) == "a list");
  CHECK(DescribeFound(At(parsed, {"c"})) == "null");
  CHECK(DescribeFound(At(parsed, {"d"})) == "'" + std::string(40, 'x') + "...'");
}

}  // namespace weir::config
