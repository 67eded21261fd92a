#pragma once
#include <pthread.h>

#include <cstddef>

namespace ctxmgr::testing {

/// Every thread of the process that is started while this lives fails to start.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&saved_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 46);
    works_ = pthread_setattr_default_np(&huge) == 0;
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&saved_);
    pthread_attr_destroy(&saved_);
  }
  [[nodiscard]] bool works() const { return works_; }

 private:
  pthread_attr_t saved_{};
  bool works_ = false;
};

}  // namespace ctxmgr::testing
