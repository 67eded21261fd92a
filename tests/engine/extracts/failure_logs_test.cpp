#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ctxmgr/engine/retriever.hpp"

namespace ctxmgr {
namespace {

/// What a tool for tests or builds prints: lines of what went well, with the failure among them.
struct FailureLog {
  const char* tool;
  const char* passed;  ///< Begins each line of what went well.
  const char* passed_end;
  const char* failure;
  std::vector<std::string> belongs;  ///< What an extract has to have.
};

const std::vector<FailureLog> logs = {
    {"gtest",
     "[       OK ] CartTest.Case",
     " (0 ms)",
     "[ RUN      ] CartTest.AddsPrices\n/src/tests/cart_test.cpp:41: Failure\nExpected equality of these values:\n"
     "  cart.total()\n    Which is: 1180\n  1200\n[  FAILED  ] CartTest.AddsPrices (1 ms)\n",
     {"cart_test.cpp:41", "Which is: 1180", "1200"}},
    {"catch2",
     "passed: case ",
     " in 1 ms",
     "cart_test.cpp:52: FAILED:\n  REQUIRE( total == 1200 )\nwith expansion:\n  1180 == 1200\n",
     {"cart_test.cpp:52", "1180 == 1200"}},
    {"pytest",
     "tests/test_cart.py::test_case_",
     " PASSED",
     "tests/test_cart.py::test_prices FAILED\n\n    def test_prices():\n>       assert total(cart) == 1200\n"
     "E       assert 1180 == 1200\nE        +  where 1180 = total(cart)\n\ntests/test_cart.py:17: AssertionError\n",
     {"test_cart.py:17", "assert 1180 == 1200"}},
    {"jest",
     "    \xE2\x9C\x93 adds case ",
     " (2 ms)",
     "  \xE2\x97\x8F cart \xE2\x80\xBA adds prices\n\n    expect(received).toBe(expected) // failed\n\n    Expected: "
     "1200\n"
     "    Received: 1180\n\n      at Object.<anonymous> (src/cart.test.js:23:19)\n",
     {"Expected: 1200", "Received: 1180", "cart.test.js:23"}},
    {"go test",
     "--- PASS: TestCase",
     " (0.00s)",
     "--- FAIL: TestPrices (0.00s)\n    cart_test.go:31: Total() failed: got 1180, want 1200\n",
     {"TestPrices", "cart_test.go:31", "got 1180, want 1200"}},
    {"cargo test",
     "test cart::case_",
     " ... ok",
     "test cart::prices ... FAILED\n\n---- cart::prices stdout ----\nthread 'cart::prices' panicked at "
     "src/cart.rs:88:9:\n"
     "assertion `left == right` failed\n  left: 1180\n right: 1200\n",
     {"src/cart.rs:88", "left: 1180", "right: 1200"}},
    {"maven",
     "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0 - in org.shop.Case",
     "",
     "[ERROR] org.shop.CartTest.prices  Time elapsed: 0.01 s  <<< FAILURE!\n"
     "org.opentest4j.AssertionFailedError: expected: <1200> but was: <1180>\n"
     "\tat org.shop.CartTest.prices(CartTest.java:64)\n",
     {"CartTest.prices", "expected: <1200> but was: <1180>", "CartTest.java:64"}},
    {"ctest",
     "Test: case_",
     " .........   Passed    0.02 sec",
     "Test: prices .........***Failed    0.05 sec\nCheck failed in cart_check.cpp:19\nActual: 1180\nExpected: 1200\n",
     {"cart_check.cpp:19", "Actual: 1180", "Expected: 1200"}},
    {"rspec",
     "  adds case ",
     " (0.1 ms)",
     "  1) Cart adds prices\n     Failure/Error: expect(cart.total).to eq 1200\n\n       expected: 1200\n            "
     "got: 1180\n"
     "     # ./spec/cart_spec.rb:12:in `block'\n",
     {"expected: 1200", "got: 1180", "cart_spec.rb:12"}},
    {"phpunit",
     "ok - CartTest::case",
     "",
     "1) CartTest::prices\nFailed asserting that 1180 matches expected 1200.\n\n/srv/tests/CartTest.php:27\n",
     {"1180 matches expected 1200", "CartTest.php:27"}},
    {"make and gcc",
     "  CXX      build/case",
     ".o",
     "src/cart.cpp: In member function 'int Cart::total() const':\n"
     "src/cart.cpp:14:10: error: 'prices' was not declared in this scope; did you mean 'price_'?\n"
     "   14 |   return prices;\n      |          ^~~~~~\nmake: *** [build/cart.o] Error 1\n",
     {"src/cart.cpp:14:10", "did you mean 'price_'", "return prices;"}},
};

std::string text_of(const FailureLog& log) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    text += log.passed + std::to_string(i) + log.passed_end + '\n';
    if (i == 27) text += log.failure;
  }
  return text;
}

std::size_t passed_lines(const FailureLog& log, const std::string& text) {
  std::size_t lines = 0;
  for (std::size_t at = text.find(log.passed); at != std::string::npos; at = text.find(log.passed, at + 1)) ++lines;
  return lines;
}

class FailureLogsTest : public ::testing::Test {
 protected:
  static Artifact result_of(const FailureLog& log) {
    Artifact artifact;
    artifact.artifact_id = "run";
    artifact.content = text_of(log);
    artifact.artifact_type = ArtifactType::tool_result;
    return artifact;
  }

  static void expect_failure(const FailureLog& log, const std::string& text, std::size_t most_passed) {
    for (const std::string& part : log.belongs)
      EXPECT_NE(text.find(part), std::string::npos) << log.tool << " lacks " << part << "\n" << text;
    EXPECT_LE(passed_lines(log, text), most_passed) << log.tool << "\n" << text;
  }

  const Retriever retriever_;
  const std::shared_ptr<const TokenCounter> counter_ = make_approximate_token_counter();
};

TEST_F(FailureLogsTest, AnExtractHasWhatBelongsToTheFailureAndHardlyWhatPassed) {
  for (const FailureLog& log : logs)
    expect_failure(log, retriever_.extract(result_of(log), "Why do the prices of the cart fail?", 200, *counter_).text,
                   5);
}

TEST_F(FailureLogsTest, ASummaryHasWhatBelongsToTheFailureAndHardlyWhatPassed) {
  for (const FailureLog& log : logs)
    expect_failure(log, retriever_.summarize(result_of(log), "", 200, *counter_).text, 8);
}

}  // namespace
}  // namespace ctxmgr
