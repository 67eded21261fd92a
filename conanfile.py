from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout

COMPONENTS = {"bpe": [], "curl": ["libcurl/[>=7.85 <9]"], "sqlite": ["sqlite3/[>=3.35 <4]"],
              "redis": ["hiredis/[>=0.14 <2]", "openssl/[>=1.1.1 <4]"], "prompts": [], "sql": ["soci/[>=4.0.3 <5]", "boost/[>=1.74 <2]"], "testing": []}


class CtxmgrConan(ConanFile):
    name = "ctxmgr"
    version = "0.1.0"
    license = "MIT"
    description = "LLM context management: the messages to send, within a token budget, with a receipt"
    topics = ("llm", "agents", "context")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], **{f"with_{name}": [True, False] for name in COMPONENTS}}
    default_options = {"shared": False, "fPIC": True, "with_bpe": True, "with_curl": True, "with_sqlite": True,
                       "with_redis": False, "with_sql": False, "with_prompts": True, "with_testing": False}
    exports_sources = ("CMakeLists.txt", "cmake/*", "include/*", "src/*", "data/*", "LICENSE", "THIRD_PARTY_NOTICES.md")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("tl-expected/[>=1.0 <2]", transitive_headers=True)
        for reference in ("nlohmann_json/[>=3.11 <4]", "fmt/[>=9]", "utf8proc/[>=2.6 <3]", "libstemmer/[>=2.2 <3]"):
            self.requires(reference)
        for name, references in COMPONENTS.items():
            if self.options.get_safe(f"with_{name}"):
                for reference in references:
                    self.requires(reference)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for switch in ("TESTS", "EXAMPLES", "TOOLS"):
            toolchain.cache_variables[f"CTXMGR_BUILD_{switch}"] = False
        for name in COMPONENTS:
            toolchain.cache_variables[f"CTXMGR_WITH_{name.upper()}"] = bool(self.options.get_safe(f"with_{name}"))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package's own CMake files serve; they know the components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/ctxmgr")
