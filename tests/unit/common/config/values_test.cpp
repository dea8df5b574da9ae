// What must hold: only text that nobody can misread becomes a value.
#include "common/config/values.h"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

namespace weir::config {

namespace {

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

}  // namespace

TEST_CASE("ParseBool takes true and false only", "[config][unit]") {
  CHECK(ParseBool("true").value());
  CHECK_FALSE(ParseBool("false").value());
  CHECK(Message(ParseBool("yes").status()) == "write true");
  CHECK(Message(ParseBool("True").status()) == "write true");
  CHECK(Message(ParseBool("no").status()) == "write false");
  CHECK(Message(ParseBool("maybe").status()) == "write true or false");
}

TEST_CASE("ParseInt reads the integers of YAML 1.2", "[config][unit]") {
  CHECK(ParseInt("0").value() == 0);
  CHECK(ParseInt("-12").value() == -12);
  CHECK(ParseInt("+7").value() == 7);
  CHECK(ParseInt("012").value() == 12);
  CHECK(ParseInt("0x1F").value() == 31);
  CHECK(ParseInt("0o17").value() == 15);
  CHECK(ParseInt("9223372036854775807").value() == std::numeric_limits<int64_t>::max());
  CHECK(ParseInt("-9223372036854775808").value() == std::numeric_limits<int64_t>::min());
  CHECK(ParseInt("0x7fffffffffffffff").value() == std::numeric_limits<int64_t>::max());
}

TEST_CASE("ParseInt refuses everything else", "[config][unit]") {
  CHECK(absl::IsOutOfRange(ParseInt("9223372036854775808").status()));
  CHECK(absl::IsOutOfRange(ParseInt("0x8000000000000000").status()));
  CHECK(Message(ParseInt("1.5").status()) == "it must be a whole number");
  for (const char* text :
       {"", "-", "1_000", "12:30", " 1", "1 ", "0x", "0o8", "0xg", "ten", "--1"}) {
    CAPTURE(text);
    CHECK(absl::IsInvalidArgument(ParseInt(text).status()));
  }
}

TEST_CASE("ParseDouble reads finite numbers", "[config][unit]") {
  CHECK(ParseDouble("1").value() == 1.0);
  CHECK(ParseDouble("-2.5").value() == -2.5);
  CHECK(ParseDouble(".5").value() == 0.5);
  CHECK(ParseDouble("1e-3").value() == 0.001);
  CHECK(absl::IsOutOfRange(ParseDouble("1e999").status()));
  for (const char* text : {"", ".", "-", "1e", "nan", "inf", ".inf", "0x1p3", "1,5", "1f"}) {
    CAPTURE(text);
    CHECK(absl::IsInvalidArgument(ParseDouble(text).status()));
  }
}

TEST_CASE("ParseDuration needs a whole number with a unit", "[config][unit]") {
  CHECK(ParseDuration("500ms").value() == absl::Milliseconds(500));
  CHECK(ParseDuration("10s").value() == absl::Seconds(10));
  CHECK(ParseDuration("5m").value() == absl::Minutes(5));
  CHECK(ParseDuration("10min").value() == absl::Minutes(10));
  CHECK(ParseDuration("2h").value() == absl::Hours(2));
  CHECK(ParseDuration("7d").value() == absl::Hours(7 * 24));
  CHECK(ParseDuration("0s").value() == absl::ZeroDuration());
  CHECK(Message(ParseDuration("30").status()) == "the unit is missing, write for example 30s");
  CHECK(Message(ParseDuration("5x").status()) ==
        "there is no unit 'x', use one of ms, s, m, h, d after a whole number");
  for (const char* text : {"", "s", "-5s", "1.5s", "1h30m", "5 s", "5S"}) {
    CAPTURE(text);
    CHECK(absl::IsInvalidArgument(ParseDuration(text).status()));
  }
}

TEST_CASE("ParseDuration ends at its limit", "[config][unit]") {
  CHECK(ParseDuration("36500d").value() == kDurationMax);
  CHECK(absl::IsOutOfRange(ParseDuration("36501d").status()));
  CHECK(absl::IsOutOfRange(ParseDuration("99999999999999999999s").status()));
}

TEST_CASE("ParseByteSize counts in powers of 1024", "[config][unit]") {
  CHECK(ParseByteSize("100b").value() == 100);
  CHECK(ParseByteSize("64kb").value() == 65536);
  CHECK(ParseByteSize("512mb").value() == 536870912);
  CHECK(ParseByteSize("4gb").value() == int64_t{4} << 30);
  CHECK(ParseByteSize("8388607tb").value() == int64_t{8388607} << 40);
  CHECK(absl::IsOutOfRange(ParseByteSize("8388608tb").status()));
  CHECK(Message(ParseByteSize("64").status()) == "the unit is missing, write for example 64mb");
  for (const char* text : {"", "kb", "64KB", "64k", "1.5gb", "-1kb"}) {
    CAPTURE(text);
    CHECK(absl::IsInvalidArgument(ParseByteSize(text).status()));
  }
}

TEST_CASE("ParseRate is events per second", "[config][unit]") {
  CHECK(ParseRate("2000/s").value() == 2000.0);
  CHECK(ParseRate("0.5/s").value() == 0.5);
  CHECK(ParseRate("120/m").value() == 2.0);
  CHECK(ParseRate("7200/h").value() == 2.0);
  CHECK(absl::IsOutOfRange(ParseRate("0/s").status()));
  CHECK(absl::IsOutOfRange(ParseRate("-1/s").status()));
  CHECK(Message(ParseRate("2000").status()) == "the unit is missing, write for example 2000/s");
  CHECK(Message(ParseRate("5/d").status()) == "there is no unit '/d', use one of /s, /m, /h");
  CHECK_FALSE(ParseRate("fast").ok());
  CHECK_FALSE(ParseRate("/s").ok());
}

TEST_CASE("CheckId takes 63 characters and no more", "[config][unit]") {
  CHECK(CheckId("a").ok());
  CHECK(CheckId("hot_items-2").ok());
  CHECK(CheckId(std::string(63, 'a')).ok());
  CHECK(absl::IsOutOfRange(CheckId(std::string(64, 'a'))));
  for (const char* text : {"", "1a", "_a", "-a", "A", "aB", "a.b", "a b", "ä"}) {
    CAPTURE(text);
    CHECK(absl::IsInvalidArgument(CheckId(text)));
  }
}

TEST_CASE("Values are shown as they are written", "[config][unit]") {
  for (const char* text : {"500ms", "10s", "5m", "2h", "7d", "0s", "90s"}) {
    CHECK(DurationText(ParseDuration(text).value()) == text);
  }
  for (const char* text : {"1b", "64kb", "512mb", "4gb", "0b"}) {
    CHECK(ByteSizeText(ParseByteSize(text).value()) == text);
  }
  CHECK(DoubleText(0.1) == "0.1");
  CHECK(DoubleText(3) == "3");
  CHECK(RateText(2000) == "2000/s");
}

}  // namespace weir::config
