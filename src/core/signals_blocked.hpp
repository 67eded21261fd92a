#pragma once
#include <csignal>

namespace ctxmgr {

/// While it lives, threads that are started take no signals: the host's handlers run in the host's threads, and writing
/// to a closed connection kills nobody.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

 private:
  sigset_t saved_{};
};

}  // namespace ctxmgr
