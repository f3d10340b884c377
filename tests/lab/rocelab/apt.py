# SPDX-License-Identifier: Apache-2.0
"""Owns looking up and fetching Debian packages of another release, without touching this system's apt.

The mirror and its keyring are those this machine already uses. Package lists and archives live in the
cache, so no source is added to the system and its own broken sources do not matter.
"""

import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path

from rocelab import cache, progress

_REPOSITORY = Path(__file__).resolve().parents[3]
_ARCHITECTURE = "amd64"


@dataclass(frozen=True)
class Mirror:
    """A Debian mirror and the keyring that its signatures are checked with."""

    uri: str
    keyring: Path


@functools.cache
def mirror() -> Mirror:
    """The mirror this machine installs its own packages from."""
    script = _REPOSITORY / "scripts" / "lib" / "debian-mirror"
    words = cache.run("apt", [script]).split()
    return Mirror(uri=words[0], keyring=Path(words[1]))


class Suite:
    """One suite of Debian ("trixie-backports"), its lists kept in the cache."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._subject = f"apt-{name}"
        self._home = cache.subdir("apt") / name

    def update(self) -> None:
        """Fetches the suite's package lists."""
        for part in ("lists/partial", "cache/archives/partial"):
            (self._home / part).mkdir(parents=True, exist_ok=True)
        source = mirror()
        (self._home / "sources.list").write_text(
            f"deb [arch={_ARCHITECTURE} signed-by={source.keyring}] {source.uri} {self.name} main\n"
        )
        (self._home / "status").touch()
        with progress.step(self._subject, "fetching package lists"):
            cache.run(self._subject, ["apt-get", *self._options(), "-q", "update"])

    def newest(self, prefix: str, pattern: str) -> str:
        """The package named `prefix` + something like `pattern`; the highest version where several are."""
        names = cache.run(self._subject, ["apt-cache", *self._options(), "pkgnames", prefix]).split()
        found = [name for name in names if re.fullmatch(pattern, name.removeprefix(prefix))]
        if not found:
            raise cache.BuildError(f"no package in {self.name} is named like {prefix}{pattern}")
        return max(found, key=_version_of)

    def dependencies(self, package: str) -> list[str]:
        """The package's direct dependencies."""
        text = cache.run(self._subject, ["apt-cache", *self._options(), "depends", "--important", package])
        return re.findall(r"^\s*\|?(?:Pre)?Depends: (\S+)$", text, re.MULTILINE)

    def unpack(self, packages: list[str], target: Path) -> None:
        """Downloads the packages and unpacks their files under `target`; nothing is installed."""
        with progress.step(self._subject, f"fetching {' '.join(packages)}"):
            archives = self._home / "download"
            archives.mkdir(exist_ok=True)
            cache.run(self._subject, ["apt-get", *self._options(), "-q", "download", *packages], cwd=archives)
        for package in packages:
            # With an epoch or a rebuild several files may match; apt fetched the newest last.
            files = sorted(archives.glob(f"{package}_*.deb"), key=lambda file: file.stat().st_mtime)
            cache.run(self._subject, ["dpkg-deb", "--extract", files[-1], target])
            for file in files:
                file.unlink()

    def _options(self) -> list[str]:
        return [
            f"-oDir::Etc::SourceList={self._home}/sources.list",
            "-oDir::Etc::SourceParts=/dev/null",
            f"-oDir::State::Lists={self._home}/lists",
            f"-oDir::State::Status={self._home}/status",
            f"-oDir::Cache={self._home}/cache",
            f"-oAPT::Architecture={_ARCHITECTURE}",
            # The cache may lie where apt's own user cannot write.
            "-oAPT::Sandbox::User=root" if os.geteuid() == 0 else "-oAPT::Sandbox::User=",
            "-oAcquire::Languages=none",
        ]



def _version_of(package: str) -> list[int]:
    """The numbers in a package's name, so that 6.9 is older than 6.12."""
    return [int(number) for number in re.findall(r"\d+", package)]
