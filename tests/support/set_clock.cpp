// Preloaded into a server of a test's own: its wall clock is off by as many seconds as stand in the file that
// CTXMGR_TEST_CLOCK names. Other clocks run on as they are.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

// Allocates nothing: allocators ask for the time.
time_t offset() {
  const char* const path = std::getenv("CTXMGR_TEST_CLOCK");
  const int file = path ? ::open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  char digits[32] = {};
  const auto size = ::read(file, digits, sizeof digits - 1);
  ::close(file);
  return size > 0 ? static_cast<time_t>(std::strtoll(digits, nullptr, 10)) : 0;
}

timespec wall_clock() {
  timespec now{};
  (void)::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  now.tv_sec += offset();
  return now;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  }
  *time = wall_clock();
  return 0;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  const auto now = wall_clock();
  *time = {now.tv_sec, now.tv_nsec / 1'000};
  return 0;
}

time_t time(time_t* result) noexcept {
  const auto now = wall_clock().tv_sec;
  if (result) *result = now;
  return now;
}

}  // extern "C"
