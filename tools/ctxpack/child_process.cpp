#include "child_process.hpp"

#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

namespace ctxpack {
namespace {

using ctxmgr::ErrorCode;
using ctxmgr::fail;
using ctxmgr::Result;

constexpr std::array<int, 6> passed_on = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Pointers to texts that live as long as these.
class Texts {
 public:
  void add(std::string text) { texts_.push_back(std::move(text)); }
  char* const* get() {
    pointers_.clear();
    for (auto& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

Texts environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::map<std::string, std::string> set(variables.begin(), variables.end());
  Texts texts;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (set.count(text.substr(0, text.find('='))) == 0) texts.add(text);
  }
  for (const auto& [name, value] : set) texts.add(std::string(name).append("=").append(value));
  return texts;
}

/// What ended it; nothing while it runs.
bool has_ended(pid_t child, int& exit_code) {
  constexpr int ended_by_signal = 128;
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child) return false;
  exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : ended_by_signal + WTERMSIG(status);
  return true;
}

/// The end of a terminal's line reaches the program by itself.
bool comes_from_the_terminal(const siginfo_t& info) { return info.si_code == SI_KERNEL; }

}  // namespace

struct PassedSignals::Masks {
  sigset_t waited_for{};
  sigset_t before{};
};

PassedSignals::PassedSignals() : masks_(std::make_unique<Masks>()) {
  sigemptyset(&masks_->waited_for);
  for (const int signal : passed_on) sigaddset(&masks_->waited_for, signal);
  sigaddset(&masks_->waited_for, SIGCHLD);
  static_cast<void>(std::signal(SIGCHLD, SIG_DFL));  // Who ignores it never learns how a program ended.
  pthread_sigmask(SIG_BLOCK, &masks_->waited_for, &masks_->before);
}

PassedSignals::~PassedSignals() { pthread_sigmask(SIG_SETMASK, &masks_->before, nullptr); }

Result<int> PassedSignals::run(const std::vector<std::string>& command,
                               const std::vector<std::pair<std::string, std::string>>& variables) {
  Texts arguments;
  for (const auto& argument : command) arguments.add(argument);
  auto environment = environment_with(variables);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  sigaddset(&as_usual, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &masks_->before);
  posix_spawnattr_setsigdefault(&attributes, &as_usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, command.front().c_str(), nullptr, &attributes, arguments.get(), environment.get());
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    return fail(failed == ENOENT ? ErrorCode::not_found : ErrorCode::denied,
                command.front() + ": " + std::strerror(failed));
  int exit_code = 0;
  while (!has_ended(child, exit_code)) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&masks_->waited_for, &info);
    if (signal > 0 && signal != SIGCHLD && !comes_from_the_terminal(info)) kill(child, signal);
  }
  return exit_code;
}

}  // namespace ctxpack
