#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ctxmgr::test {

inline bool has_openssl() { return std::system("openssl version >/dev/null 2>&1") == 0; }

struct Certificate {
  std::string host = "127.0.0.1";
  std::string not_after = "20491231235959Z";
};

/// A self-signed certificate and its key, as cert.pem and key.pem in the directory.
inline bool make_certificate(const std::filesystem::path& directory, const Certificate& certificate = {}) {
  std::ofstream(directory / "ca.cnf")
      << "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n"
         "x509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=IP:"
      << certificate.host << "\n";
  std::ofstream(directory / "index") << "";
  const auto command = "cd '" + directory.string() +
                       "' && (openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem"
                       " -out request.pem -subj /CN=test && openssl ca -batch -selfsign -config ca.cnf -keyfile key.pem"
                       " -in request.pem -out cert.pem -notext -startdate 20200101000000Z -enddate " +
                       certificate.not_after + ") >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

}  // namespace ctxmgr::test
