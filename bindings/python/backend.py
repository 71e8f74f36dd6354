# SPDX-License-Identifier: Apache-2.0
"""Builds the package: wheels and source archives, for pip and python3 -m build.

It needs CMake, a C compiler and the libraries' headers, and nothing from Python, so that pip installs
from a checkout without a network. The wheel is tagged linux_MACHINE, not manylinux: its module links
the expat, libyaml and, where found, HDF5 of the system that built it.
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# In a checkout the sources are two folders up; in a source archive the tree is the same.
TREE = HERE.parent.parent
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
SOURCES = [line for line in (TREE / "bindings" / "sources").read_text().splitlines()
           if not line.startswith("#")] + ["pyproject.toml", "bindings/python"]


def version() -> str:
    found = re.search(r"^project\(appell VERSION ([0-9.]+)", (TREE / "CMakeLists.txt").read_text(), re.M)
    assert found, "CMakeLists.txt names no version"
    return found[1]


NAME = f"appell-{version()}"


def metadata() -> str:
    lines = ["Metadata-Version: 2.1", "Name: appell", f"Version: {version()}",
             f"Summary: {PROJECT['description']}", "License: Apache-2.0",
             f"Keywords: {','.join(PROJECT['keywords'])}",
             *(f"Classifier: {c}" for c in PROJECT["classifiers"]),
             f"Requires-Python: {PROJECT['requires-python']}",
             *(f"Requires-Dist: {d}" for d in PROJECT["dependencies"]),
             "Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text()]
    return "\n".join(lines)


def tag() -> str:
    return "cp311-abi3-" + re.sub(r"[^A-Za-z0-9]", "_", sysconfig.get_platform())


def build_module(build: pathlib.Path) -> pathlib.Path:
    """The package complete with its module, in a folder of the build folder; one that is there is used."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise SystemExit("appell needs a CPython with its lock: free-threaded builds have no stable interface")
    flags = [] if (build / "CMakeCache.txt").exists() else [
        "-DAPPELL_TESTS=OFF", "-DAPPELL_BENCH=OFF", "-DAPPELL_COMEDI=OFF", "-DAPPELL_PEERS=OFF",
        "-DAPPELL_OCTAVE=OFF", f"-DPython3_ROOT_DIR={sysconfig.get_config_var('prefix')}"]
    subprocess.run(["cmake", "-S", TREE, "-B", build, "--log-level=WARNING", *flags], check=True)
    jobs = str(len(os.sched_getaffinity(0)))
    subprocess.run(["cmake", "--build", build, "--parallel", jobs, "--target", "appell_python"],
                   check=True)
    return build / "python" / "appell"


def write_wheel(folder: str, files: dict[str, bytes]) -> str:
    """A wheel of these files; the same files always give the same bytes."""
    info = f"{NAME}.dist-info"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: appell\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag()}\n").encode()
    files[f"{info}/LICENSE"] = (TREE / "LICENSE").read_bytes()
    files[f"{info}/NOTICE"] = (TREE / "NOTICE").read_bytes()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{tag()}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


# ---- what pip and build call ----


# The setting build-dir names the folder to build in; else that is a temporary one.


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as scratch:
        package = build_module(pathlib.Path((config_settings or {}).get("build-dir", scratch)))
        files = {f"appell/{f.relative_to(package)}": f.read_bytes()
                 for f in sorted(package.rglob("*")) if f.is_file() and "__pycache__" not in f.parts}
        return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package of the checkout's build folder, which 'make' brings up to date."""
    package = build_module(pathlib.Path((config_settings or {}).get("build-dir", TREE / "build")).resolve())
    return write_wheel(wheel_directory, {"appell.pth": f"{package.parent}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    def of_the_sources(entry):
        """Neither what Python and its tools leave behind nor the user who packs."""
        if re.search(r"/(__pycache__|\.[^/]+)(/|$)|\.so$", entry.name):
            return None
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    name = f"{NAME}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for source in SOURCES:
            archive.add(TREE / source, f"{NAME}/{source}", filter=of_the_sources)
        data = metadata().encode()
        about = tarfile.TarInfo(f"{NAME}/PKG-INFO")
        about.size = len(data)
        about.mtime = int((TREE / "CMakeLists.txt").stat().st_mtime)
        archive.addfile(about, io.BytesIO(data))
    return name
