#include "core/sha256.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>

namespace ctxmgr {
namespace {

TEST(Sha256Test, GivesTheDigestsOfThePublishedExamples) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, DoesNotDependOnHowTheBytesArriveInPieces) {
  rc::check([](const std::string& seed) {
    const std::string bytes = seed + seed + seed + std::string(*rc::gen::inRange(0, 200), 'x');
    Sha256 pieces;
    for (std::size_t pos = 0; pos < bytes.size();) {
      const auto length = *rc::gen::inRange<std::size_t>(1, 100);
      pieces.update(std::string_view(bytes).substr(pos, length));
      pos += length;
    }
    RC_ASSERT(pieces.hex() == sha256_hex(bytes));
  });
}

TEST(Sha256Test, FieldsAreToldApartByTheirLengths) {
  Sha256 one;
  one.update_field("ab");
  one.update_field("c");
  Sha256 other;
  other.update_field("a");
  other.update_field("bc");
  EXPECT_NE(one.hex(), other.hex());
}

// Test cases 1, 2 and 6 of RFC 4231.
TEST(Sha256Test, SignsAsTheStandardSays) {
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace ctxmgr
