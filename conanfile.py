"""The Conan recipe: `conan create .` in a checkout. Hosts need C++17, the compiler that makes the package C++20.

Tried: a test compares its options with those of the build; `conan create . -pr:a packaging/conan/debian-12`, with Debian's packages in
place of Conan's and the components of the default, compiles and packages (Conan 2.34). Not tried: Conan's own packages, macOS, Windows.
"""
from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.scm import Version

# What each component needs beside the library. SOCI loads its backends at run time, so that it has to be shared; their
# clients are ours as well.
COMPONENTS = {
    "bpe": [],
    "curl": ["libcurl/[>=7.85 <9]"],
    "sqlite": ["sqlite3/[>=3.37 <4]"],
    "redis": ["hiredis/[>=0.14 <2]", "openssl/[>=1.1.1 <4]"],
    "sql": ["soci/[>=4.0.3 <5]", "boost/[>=1.74 <2]", "libpq/[>=13 <18]", "libmysqlclient/[>=8.0 <9]"],
    "prompts": [],
    "c": [],
    "testing": [],
}
BY_DEFAULT = ("bpe", "curl", "sqlite", "prompts", "c")
POSIX_ALONE = ("curl", "redis", "sql")
OLDEST_COMPILERS = {"gcc": "12", "clang": "14"}


class CtxmgrConan(ConanFile):
    name = "ctxmgr"
    version = "0.9.0"
    license = "MIT"
    description = "LLM context management: the messages to send, within a token budget, with a receipt"
    topics = ("llm", "agents", "context")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], **{f"with_{name}": [True, False] for name in COMPONENTS}}
    default_options = {"shared": False, "fPIC": True, **{f"with_{name}": name in BY_DEFAULT for name in COMPONENTS},
                       "soci/*:shared": True, "soci/*:with_postgresql": True, "soci/*:with_mysql": True,
                       "soci/*:with_boost": True}
    exports_sources = ("CMakeLists.txt", "cmake/*", "include/*", "src/*", "data/*", "docs/*", "examples/*", "bindings/*", "README.md",
                       "CHANGELOG.md", "SECURITY.md", "LICENSE", "THIRD_PARTY_NOTICES.md")

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC
            for name in POSIX_ALONE:
                delattr(self.options, f"with_{name}")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def validate(self):
        check_min_cppstd(self, 17)

    def validate_build(self):
        oldest = OLDEST_COMPILERS.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(f"ctxmgr is compiled as C++20, by {self.settings.compiler} {oldest} or later")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("tl-expected/[>=1.0 <2]", transitive_headers=True)
        self.requires("nlohmann_json/[>=3.11 <4]", visible=False)
        for reference in ("utf8proc/[>=2.6 <3]", "libstemmer/[>=2.2 <3]"):
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
