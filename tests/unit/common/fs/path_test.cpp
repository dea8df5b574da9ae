#include "common/fs/path.h"

#include <catch2/catch.hpp>

namespace weir::fs {
namespace {

TEST_CASE("JoinPath puts one slash between directory and name", "[fs][unit]") {
  CHECK(JoinPath("/a", "b") == "/a/b");
  CHECK(JoinPath("/a/", "b") == "/a/b");
  CHECK(JoinPath("/", "b") == "/b");
  CHECK(JoinPath("", "b") == "b");
}

TEST_CASE("JoinPath keeps an absolute name", "[fs][unit]") {
  CHECK(JoinPath("/a", "/shared/x") == "/shared/x");
}

TEST_CASE("DirectoryOf and NameOf take a path apart", "[fs][unit]") {
  CHECK(DirectoryOf("/a/b") == "/a");
  CHECK(DirectoryOf("/a") == "/");
  CHECK(DirectoryOf("a") == ".");
  CHECK(NameOf("/a/b") == "b");
  CHECK(NameOf("b") == "b");
}

}  // namespace
}  // namespace weir::fs
