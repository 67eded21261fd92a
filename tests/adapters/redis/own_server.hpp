#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/redis/stub_server.hpp"
#include "ctxmgr/adapters/redis_key_value_store.hpp"

namespace ctxmgr::testing {

/// A redis-server of the test's own, that keeps nothing on disk.
class OwnServer {
 public:
  enum class Speaks { plainly, tls };

  static bool is_installed() { return ::access("/usr/bin/redis-server", X_OK) == 0; }

  /// One that was free a moment ago.
  static std::string free_port() {
    return StubServer([](int, const std::string&) { return ""; }).url().substr(18);
  }

  using Environment = std::vector<std::pair<std::string, std::string>>;

  explicit OwnServer(std::vector<std::string> options = {}, Speaks speaks = Speaks::plainly,
                     Environment environment = {})
      : options_(std::move(options)), speaks_(speaks), environment_(std::move(environment)) {
    port_ = free_port();
    start();
  }
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;
  ~OwnServer() { stop(); }

  void start() {
    process_ = ::fork();
    if (process_ == 0) {
      for (const auto& [name, value] : environment_) ::setenv(name.c_str(), value.c_str(), 1);
      const bool tls = speaks_ == Speaks::tls;
      std::vector<std::string> words{"redis-server",
                                     tls ? "--tls-port" : "--port",
                                     port_,
                                     "--bind",
                                     "127.0.0.1",
                                     "--save",
                                     "",
                                     "--dir",
                                     "/tmp",
                                     "--appendonly",
                                     "no",
                                     "--logfile",
                                     "/dev/null",
                                     "--daemonize",
                                     "no"};
      if (tls) words.insert(words.end(), {"--port", "0"});
      words.insert(words.end(), options_.begin(), options_.end());
      std::vector<char*> arguments;
      for (auto& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execvp("redis-server", arguments.data());
      ::_exit(127);
    }
  }

  void stop() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  [[nodiscard]] const std::string& port() const { return port_; }
  void signal(int number) const { ::kill(process_, number); }
  [[nodiscard]] std::string url() const {
    return (speaks_ == Speaks::tls ? "rediss://127.0.0.1:" : "redis://127.0.0.1:") + port_;
  }

 private:
  std::vector<std::string> options_;
  Speaks speaks_;
  Environment environment_;
  std::string port_;
  pid_t process_ = -1;
};

}  // namespace ctxmgr::testing
