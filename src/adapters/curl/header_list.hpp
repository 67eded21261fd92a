#pragma once
#include <string>

struct curl_slist;

namespace ctxmgr::http {

/// The headers of a client's requests, its key among them, in libcurl's form; wiped when the last user is gone. All
/// requests share one, so that the key is not copied for each of them.
/// Thread-safety: const methods may be called from several threads at once.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList();

  /// False where there is no memory. Both were checked by `is_valid_header`.
  [[nodiscard]] bool add(const std::string& name, const std::string& value);

  /// Keeps libcurl from sending a header of its own.
  [[nodiscard]] bool add_absent(const std::string& name) { return append(name + ":"); }

  [[nodiscard]] curl_slist* get() const { return first_; }

 private:
  [[nodiscard]] bool append(const std::string& line);

  curl_slist* first_ = nullptr;
};

}  // namespace ctxmgr::http
