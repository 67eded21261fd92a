#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

#include "adapters/clients/cassette.hpp"
#include "ctxmgr/adapters/llm_client_decorators.hpp"
#include "ports/guarded.hpp"

namespace ctxmgr {
namespace {

/// Bytes as they are, and not for programs that this one starts.
#ifdef _WIN32
constexpr int as_it_is = O_BINARY | O_NOINHERIT;
#else
constexpr int as_it_is = O_CLOEXEC;
#endif

/// A file that lines are appended to.
class LineFile {
 public:
  explicit LineFile(int fd) : fd_(fd) {}
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile() { ::close(fd_); }

  [[nodiscard]] bool append(std::string_view line) {
    const std::lock_guard lock(mutex_);
    while (!line.empty()) {
      const auto written = ::write(fd_, line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      line.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  const int fd_;
  std::mutex mutex_;
};

class RecordingLlmClient final : public LlmClient {
 public:
  RecordingLlmClient(std::shared_ptr<LlmClient> inner, int fd) : inner_(std::move(inner)), file_(fd) {}

  Result<LlmResponse> complete(const LlmRequest& request, const CallOptions& call) override {
    return recorded(request, guarded([&] { return inner_->complete(request, call); }));
  }

  std::vector<Result<LlmResponse>> complete_all(const std::vector<LlmRequest>& requests,
                                                const CallOptions& call) override {
    using Results = std::vector<Result<LlmResponse>>;
    auto replies = guarded([&]() -> Result<Results> { return inner_->complete_all(requests, call); });
    if (replies && replies->size() != requests.size())
      replies = fail(ErrorCode::internal, "the LLM client miscounted its replies");
    auto results = replies ? *std::move(replies) : Results(requests.size(), tl::unexpected<Error>(replies.error()));
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = recorded(requests[i], std::move(results[i]));
    return results;
  }

 private:
  /// What depends on the caller's patience is left out.
  Result<LlmResponse> recorded(const LlmRequest& request, Result<LlmResponse> result) {
    const bool is_impatience =
        !result && (result.error().code == ErrorCode::cancelled || result.error().code == ErrorCode::deadline_exceeded);
    if (is_impatience) return result;
    if (file_.append(write_cassette_line(request, result))) return result;
    return fail(ErrorCode::limit_exceeded, "the cassette could not be written to");
  }

  const std::shared_ptr<LlmClient> inner_;
  LineFile file_;
};

/// What an interrupted recording left after the last line end is no record, and would spoil the one that is written next.
bool drop_half_line(int fd) {
  off_t end = lseek(fd, 0, SEEK_END);
  if (end <= 0) return true;  // Nothing is in it, or it is no file: a pipe.
  const off_t size = end;
  std::array<char, 4096> bytes{};
  while (end > 0) {
    const auto begin = std::max<off_t>(0, end - static_cast<off_t>(bytes.size()));
    const auto length = static_cast<std::size_t>(end - begin);
    if (lseek(fd, begin, SEEK_SET) != begin) return false;
    if (::read(fd, bytes.data(), length) != static_cast<ssize_t>(length)) return false;
    const auto line_end = std::string_view(bytes.data(), length).rfind('\n');
    if (line_end != std::string_view::npos) {
      end = begin + static_cast<off_t>(line_end) + 1;
      break;
    }
    end = begin;
  }
  return end == size || ftruncate(fd, end) == 0;
}

}  // namespace

Result<std::unique_ptr<LlmClient>> make_recording_llm_client(std::shared_ptr<LlmClient> inner,
                                                             const std::string& path) {
  if (!inner) return fail(ErrorCode::invalid_argument, "a recording needs a client");
  constexpr int owner_only = 0600;
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | as_it_is, owner_only);
  if (fd < 0) return fail(ErrorCode::invalid_argument, "the cassette cannot be opened for writing");
  auto client = std::make_unique<RecordingLlmClient>(std::move(inner), fd);
  if (!drop_half_line(fd)) return fail(ErrorCode::unavailable, "the cassette's last line cannot be mended");
  return client;
}

}  // namespace ctxmgr
