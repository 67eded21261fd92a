// TLS servers of OpenSSL's command line, with certificates that are good, expired, for another host or too old-fashioned.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/curl/client_fixture.hpp"
#include "support/certificate.hpp"

namespace ctxmgr::test {
namespace {

using std::chrono::milliseconds;

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_openssl()) GTEST_SKIP() << "openssl is not installed";
    directory_ = std::filesystem::temp_directory_path() / ("ctxmgr-tls-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }

  void TearDown() override {
    if (server_ > 0) {
      setpgid(server_, server_);
      kill(-server_, SIGKILL);
      waitpid(server_, nullptr, 0);
    }
    std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] std::string certificate_file() const { return directory_ / "cert.pem"; }

  /// A self-signed certificate, and a server that shows it to whoever comes.
  void serve(const Certificate& certificate, const std::string& protocol = "") {
    ASSERT_TRUE(make_certificate(directory_, certificate));
    port_ = unused_port();
    const auto reply = chat_reply("over TLS");
    write("reply", "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(reply.size()) + "\r\n\r\n" + reply);
    // It sends what it reads, to the first client whose handshake is good.
    const auto command = "cd '" + directory_.string() +
                         "' && { cat reply; sleep 60; } | openssl s_server -accept 127.0.0.1:" + std::to_string(port_) +
                         " -cert cert.pem -key key.pem -quiet " + protocol + " >/dev/null 2>&1";
    server_ = fork();
    if (server_ == 0) {
      setpgid(0, 0);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
  }

  /// Tries until the server listens; every other outcome is final. `not_found` stands for a good reply.
  [[nodiscard]] ErrorCode ask_server(const std::string& ca_file) const {
    auto options = options_for("https://127.0.0.1:" + std::to_string(port_));
    options.ca_file = ca_file;
    options.max_attempts = 1;
    const auto client = open_client(options);
    for (int i = 0; i < 200; ++i) {
      const auto result = client->complete(ask("x"), within(milliseconds(5'000)));
      if (result) return text_of(result->message) == "over TLS" ? ErrorCode::not_found : ErrorCode::internal;
      if (result.error().message != "no connection to the service") return result.error().code;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return ErrorCode::internal;
  }

  void write(const char* name, const std::string& text) const { std::ofstream(directory_ / name) << text; }

  std::filesystem::path directory_;
  int port_ = 0;
  pid_t server_ = -1;
};

TEST_F(TlsTest, ACertificateThatTheHostTrustsIsAccepted) {
  serve({});
  EXPECT_EQ(ask_server(certificate_file()), ErrorCode::not_found);
}

TEST_F(TlsTest, ASelfSignedCertificateIsNotTrusted) {
  serve({});
  EXPECT_EQ(ask_server(""), ErrorCode::denied);
}

TEST_F(TlsTest, ACertificateForAnotherHostIsNotTrusted) {
  serve({"127.0.0.2"});
  EXPECT_EQ(ask_server(certificate_file()), ErrorCode::denied);
}

TEST_F(TlsTest, AnExpiredCertificateIsNotTrusted) {
  serve({"127.0.0.1", "20200102000000Z"});
  EXPECT_EQ(ask_server(certificate_file()), ErrorCode::denied);
}

TEST_F(TlsTest, AnOldProtocolIsNotSpoken) {
  serve({}, "-tls1_1 -cipher ALL:@SECLEVEL=0");
  EXPECT_EQ(ask_server(certificate_file()), ErrorCode::denied);
}

TEST_F(TlsTest, AFileWithoutAuthoritiesIsNoReasonToTrust) {
  serve({});
  EXPECT_EQ(ask_server("/no/such/file.pem"), ErrorCode::denied);
}

}  // namespace
}  // namespace ctxmgr::test
