// SPDX-License-Identifier: Apache-2.0
#include "core/decimal.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace apsis;

TEST_CASE("words outside the grammar of decimal numbers are rejected") {
  for (auto const* word :
       {"",    " ",   " 1",    "1 ",    "+1",  "01",    "010",      "-01",      "0x10",  "0b1",
        "0o7", "1,5", "1_000", "1'000", "1.",  ".5",    "1e",       "1e+",      "1.e5",  "1..5",
        "--1", "-",   "true",  "inf",   "nan", "NaN",   "1f",       "1d5",      "1 000", "{}",
        "%%",  "\t1", "1\n",   "00",    "-00", "1e1.5", "Infinity", "\xd9\xa1", "1-",    "0 1"}) {
    CAPTURE(word);
    std::uint64_t whole = 7;
    std::int64_t with_sign = 7;
    double real = 7.0;
    CHECK(read_decimal(word, whole) == Numeral::malformed);
    CHECK(read_decimal(word, with_sign) == Numeral::malformed);
    CHECK(read_decimal(word, real) == Numeral::malformed);
    CHECK(whole == 7);
    CHECK(with_sign == 7);
    CHECK(real == 7.0);
  }
  std::string const with_nul("1\0", 2);
  double real = 7.0;
  CHECK(read_decimal(with_nul, real) == Numeral::malformed);
}

TEST_CASE("decimal numbers are read exactly, or reported as out of range") {
  std::uint64_t whole = 0;
  CHECK(read_decimal("18446744073709551615", whole) == Numeral::good);
  CHECK(whole == ~std::uint64_t{0});
  CHECK(read_decimal("18446744073709551616", whole) == Numeral::out_of_range);
  CHECK(read_decimal("0", whole) == Numeral::good);
  CHECK(whole == 0);
  for (auto const* word : {"-0", "-1", "1.0", "1e3"}) {
    CHECK(read_decimal(word, whole) == Numeral::malformed);
  }
  std::int64_t with_sign = 0;
  CHECK(read_decimal("-9223372036854775808", with_sign) == Numeral::good);
  CHECK(read_decimal("9223372036854775808", with_sign) == Numeral::out_of_range);
  double real = 0.0;
  CHECK(read_decimal("-0.1e-2", real) == Numeral::good);
  CHECK(real == -0.001);
  CHECK(read_decimal("1E+2", real) == Numeral::good);
  CHECK(real == 100.0);
  CHECK(read_decimal("1e400", real) == Numeral::out_of_range);
  CHECK(read_decimal("1e-400", real) == Numeral::out_of_range);
}
