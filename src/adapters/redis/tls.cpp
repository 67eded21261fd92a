#include "adapters/redis/tls.hpp"

#include <utility>
#if defined(CTXMGR_REDIS_TLS)
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#endif

namespace ctxmgr::redis {

#if defined(CTXMGR_REDIS_TLS)

struct Tls::Session {
  struct Free {
    void operator()(SSL_CTX* owned) const { SSL_CTX_free(owned); }
    void operator()(SSL* owned) const { SSL_free(owned); }
  };
  std::unique_ptr<SSL_CTX, Free> context{SSL_CTX_new(TLS_client_method())};
  std::unique_ptr<SSL, Free> ssl;
};

namespace {

tl::unexpected<Error> broken() {
  ERR_clear_error();  // the thread's queue is the host's, too
  return fail(ErrorCode::unavailable, "redis: the encrypted connection failed");
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

bool expect_host(SSL* ssl, const std::string& host) {
  if (is_address(host)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

bool wants_more(const SSL* ssl, int result) { return SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ; }

}  // namespace

Result<std::unique_ptr<Tls>> Tls::create(const std::string& host, const std::string& ca_file) {
  auto session = std::make_unique<Session>();
  auto* const context = session->context.get();
  if (!context || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) return broken();
  const int trusted = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context)
                                      : SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr);
  if (trusted != 1) {
    ERR_clear_error();
    return fail(ErrorCode::invalid_argument, "redis: the file of trusted authorities cannot be read");
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  session->ssl.reset(SSL_new(context));
  if (!session->ssl || !expect_host(session->ssl.get(), host)) return broken();
  SSL_set_connect_state(session->ssl.get());
  // In memory: writing to a socket would be OpenSSL's own, and raise SIGPIPE.
  SSL_set_bio(session->ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  return std::unique_ptr<Tls>(new Tls(std::move(session)));
}

void Tls::feed(std::string_view received) {
  BIO_write(SSL_get_rbio(session_->ssl.get()), received.data(), static_cast<int>(received.size()));
}

std::string Tls::take_output() {
  auto* const bio = SSL_get_wbio(session_->ssl.get());
  std::string output(BIO_ctrl_pending(bio), '\0');
  if (!output.empty()) BIO_read(bio, output.data(), static_cast<int>(output.size()));
  return output;
}

Result<bool> Tls::shake_hands() {
  auto* const ssl = session_->ssl.get();
  const int result = SSL_do_handshake(ssl);
  if (result == 1) return true;
  if (wants_more(ssl, result)) return false;
  if (SSL_get_verify_result(ssl) == X509_V_OK) return broken();
  ERR_clear_error();
  return fail(ErrorCode::denied, "redis: the server's certificate is not trusted, or not for this host");
}

Result<void> Tls::encrypt(std::string_view plain) {
  std::size_t written = 0;
  if (!plain.empty() && SSL_write_ex(session_->ssl.get(), plain.data(), plain.size(), &written) != 1) return broken();
  return {};
}

Result<std::string> Tls::decrypt() {
  auto* const ssl = session_->ssl.get();
  std::string plain;
  std::array<char, 16'384> buffer;
  std::size_t size = 0;
  int result = 0;
  while ((result = SSL_read_ex(ssl, buffer.data(), buffer.size(), &size)) == 1) plain.append(buffer.data(), size);
  if (!wants_more(ssl, result)) return broken();
  return plain;
}

#else

struct Tls::Session {};

Result<std::unique_ptr<Tls>> Tls::create(const std::string&, const std::string&) {
  return fail(ErrorCode::invalid_argument, "redis: built without TLS");
}
void Tls::feed(std::string_view) {}
std::string Tls::take_output() { return {}; }
Result<bool> Tls::shake_hands() { return true; }
Result<void> Tls::encrypt(std::string_view) { return {}; }
Result<std::string> Tls::decrypt() { return std::string(); }

#endif

Tls::Tls(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Tls::~Tls() = default;

}  // namespace ctxmgr::redis
