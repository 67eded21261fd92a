"""The recipes of package managers, whose clients Debian does not have, agree with the build: options, features, versions,
compilers. Conan's own classes are replaced by ones that write down what the recipe asks of them. Usage: packages.py ROOT"""
import json
import re
import sys
import types
from pathlib import Path

root = Path(sys.argv[1])
cmake = (root / "CMakeLists.txt").read_text()
components = {name.lower() for name in re.findall(r"option\(CTXMGR_WITH_(\w+)", cmake)}
version = re.search(r"^  VERSION (\S+)", cmake, re.M).group(1)
failures = []


def expect(holds, message):
    if not holds:
        failures.append(message)


def refused_on_windows():
    """The components that CMake refuses there."""
    options = re.search(r"foreach\(posix IN ITEMS ([^)]*)\)", cmake).group(1).split()
    return {option[5:].lower() for option in options if option.startswith("WITH_")}


def check_vcpkg():
    port = root / "packaging/vcpkg/ctxmgr"
    manifest = json.loads((port / "vcpkg.json").read_text())
    known = {"$schema", "name", "version", "description", "license", "dependencies", "default-features", "features"}
    expect(set(manifest) == known, f"vcpkg.json: fields {set(manifest) ^ known}")
    expect(manifest["version"] == version, "vcpkg.json: the version is another one")
    features = set(manifest["features"])
    expect(features == components | {"tools"}, f"vcpkg.json: features and components differ: {features ^ components}")
    defaults = [default if isinstance(default, dict) else {"name": default} for default in manifest["default-features"]]
    expect({default["name"] for default in defaults} <= features, "vcpkg.json: a default feature is none")
    posix = {feature for feature, text in manifest["features"].items() if "!windows" in text.get("supports", "")}
    expect({default["name"] for default in defaults if "platform" in default} == posix & {default["name"] for default in defaults},
           "vcpkg.json: a default feature is wanted where it is not supported")
    refused = refused_on_windows() | {"tools"}
    expect(posix == refused, f"vcpkg.json: CMake refuses others on Windows: {posix ^ refused}")
    portfile = (port / "portfile.cmake").read_text()
    options = dict(re.findall(r"^  (\w+) (CTXMGR_\w+)", portfile, re.M))
    expect(set(options) == features, f"portfile.cmake: features {set(options) ^ features}")
    for feature, option in options.items():
        expect(f"option({option} " in cmake, f"portfile.cmake: {feature} sets {option}, which is no option")
    name = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
    for where in [manifest, *manifest["features"].values()]:
        expect(where.get("description"), "vcpkg.json: a feature without a description")
        for dependency in where.get("dependencies", []):
            expect(name.fullmatch(dependency if isinstance(dependency, str) else dependency["name"]),
                   f"vcpkg.json: no name of a port: {dependency}")


class Options(dict):
    __getattr__ = dict.__getitem__
    __delattr__ = dict.__delitem__

    def get_safe(self, name):
        return self.get(name)

    def rm_safe(self, name):
        self.pop(name, None)


class Invalid(Exception):
    pass


class Version:
    def __init__(self, text):
        self.parts = [int(part) for part in str(text).split(".")]

    def __lt__(self, other):
        return self.parts < Version(other).parts


class Toolchain:
    last = None

    def __init__(self, _recipe):
        self.cache_variables = {}
        Toolchain.last = self

    def generate(self):
        pass


def load_recipe():
    asked = []
    modules = {"conan": {"ConanFile": object}, "conan.errors": {"ConanInvalidConfiguration": Invalid},
               "conan.tools.build": {"check_min_cppstd": lambda _recipe, least: asked.append(least)},
               "conan.tools.cmake": {"CMake": object, "CMakeDeps": Toolchain, "CMakeToolchain": Toolchain,
                                     "cmake_layout": None},
               "conan.tools.scm": {"Version": Version}, "conan.tools": {}}
    for name, members in modules.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    source = (root / "conanfile.py").read_text()
    scope = {}
    exec(compile(source, "conanfile.py", "exec"), scope)
    return scope["CtxmgrConan"], asked


def recipe_with(recipe_class, **settings):
    recipe = recipe_class()
    compiler = type("Compiler", (), {"version": settings.get("version", "12"), "__str__": lambda self: "gcc"})
    recipe.settings = types.SimpleNamespace(os=settings.get("os", "Linux"), compiler=compiler())
    recipe.options = Options({name.split(":")[-1]: value for name, value in recipe.default_options.items()
                              if ":" not in name})
    recipe.required = []
    recipe.requires = lambda reference, **_traits: recipe.required.append(reference.split("/")[0])
    return recipe


def refuses(check):
    try:
        check()
    except Invalid:
        return True
    return False


def check_conan():
    recipe_class, asked = load_recipe()
    recipe = recipe_with(recipe_class)
    expect(recipe.version == version, "conanfile.py: the version is another one")
    with_options = {name[5:] for name in recipe.options if name.startswith("with_")}
    expect(with_options == components, f"conanfile.py: options and components differ: {with_options ^ components}")
    recipe.validate()
    recipe.validate_build()
    expect(asked == [17], f"conanfile.py: hosts are asked for C++{asked}, our headers need 17")
    windows = recipe_with(recipe_class, os="Windows")
    windows.config_options()
    gone = {name[5:] for name in recipe.options if name.startswith("with_")} - {name[5:] for name in windows.options}
    expect(gone == refused_on_windows(), f"conanfile.py: CMake refuses others on Windows than {gone}")
    expect(refuses(recipe_with(recipe_class, version="11.3").validate_build), "conanfile.py: gcc 11 is not refused")
    recipe.generate()
    for option in Toolchain.last.cache_variables:
        expect(f"option({option} " in cmake, f"conanfile.py: {option} is no option")
    recipe.options["with_sql"] = True
    recipe.requirements()
    for needed in ("tl-expected", "soci", "libpq", "libmysqlclient"):
        expect(needed in recipe.required, f"conanfile.py: {needed} is not required")
    for option in ("shared", "with_postgresql", "with_mysql"):
        expect(recipe.default_options.get(f"soci/*:{option}"), f"conanfile.py: SOCI's {option} is off")
    for pattern in recipe.exports_sources:
        expect(any(root.glob(pattern)), f"conanfile.py: {pattern} exports nothing")
    for line in re.findall(r"install\((?:FILES|DIRECTORY) ([^$\n]*?) DESTINATION",
                           (root / "cmake/CtxmgrInstall.cmake").read_text()):
        for path in line.split():
            expect(any(pattern.split("/")[0] == path.split("/")[0] for pattern in recipe.exports_sources),
                   f"conanfile.py: {path} is installed, but not exported")


check_vcpkg()
check_conan()
print("\n".join(failures) or "Conan and vcpkg agree with the build")
sys.exit(bool(failures))
