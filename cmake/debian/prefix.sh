#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian packages into a private directory, as any user, without touching the system.
#
#   prefix.sh WORK TARGET [--own-suite] [--closure] PACKAGE...
#
# WORK    keeps apt's own state, cache and the downloaded packages (reused by later calls)
# TARGET  receives the unpacked files
# --own-suite  takes the packages of this machine's own release, which run with its own C library and
#            with any newer one; without it they are sid's
# --closure  unpacks also everything the packages depend on: libraries that are not the package's
#            own source go to TARGET-runtime, so that a program can use or ignore them as a whole
#
# A name that begins with ^ is a regular expression. The mirror is the one this machine's own apt
# already uses; only the suite is ours to name. Each suite needs a WORK of its own.
set -eu

work=$1; target=$2; shift 2
suite=sid; components=main; distribution=debian
if [ "$1" = --own-suite ]; then
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
  distribution=$(. /etc/os-release && echo "${ID:-debian}")
  if [ "$distribution" = ubuntu ]; then components="main universe"; fi
  shift
fi
closure=no
if [ "$1" = --closure ]; then closure=yes; shift; fi

fail() { echo "debian/prefix.sh: $*" >&2; exit 1; }
for tool in apt-get dpkg-deb dpkg; do
  command -v $tool >/dev/null || fail "$tool is missing (this is not a Debian system)"
done

mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/packages"
: >"$work/state/status"
conf=$work/apt.conf
cat >"$conf" <<EOF
Dir::State "$work/state";
Dir::State::status "$work/state/status";
Dir::Cache "$work/cache";
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Sandbox::User "";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::Retries "3";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
EOF

# Every mirror that the machine's own sources name, in their order (both apt source formats).
mirrors() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -nE 's/^deb +(\[[^]]*\] +)?([a-z+]+:[^ ]+) .*/\2/p'
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -nE 's/^URIs: *//p' | tr ' ' '\n'
}

keyring=/usr/share/keyrings/$distribution-archive-keyring.gpg
[ -r "$keyring" ] || keyring=/usr/share/keyrings/$distribution-archive-keyring.pgp
signed=
[ -r "$keyring" ] && signed="[signed-by=$keyring] "

if [ ! -s "$work/sources.list" ] || [ ! -e "$work/updated" ]; then
  for mirror in $(mirrors | awk 'NF && !seen[$0]++'); do
    echo "deb ${signed}$mirror $suite $components" >"$work/sources.list"
    if apt-get -c "$conf" -qq -o APT::Update::Error-Mode=any update >"$work/update.log" 2>&1; then
      : >"$work/updated"
      break
    fi
  done
  [ -e "$work/updated" ] || fail "no mirror in this machine's apt sources carries $distribution's $suite"
fi

names=$*
if [ $closure = yes ]; then
  names=$(apt-get -c "$conf" -s install "$@" | sed -nE 's/^Inst ([^ ]+) .*/\1/p') ||
    fail "apt cannot resolve: $*"
fi
[ -n "$names" ] || fail "apt knows none of: $*"

# shellcheck disable=SC2086  # the names are a list
(cd "$work/packages" && apt-get -c "$conf" -qq download $names >"$work/download.log" 2>&1) ||
  fail "download failed: $(tail -n 1 "$work/download.log")"

for name in $names; do
  into=$target
  if [ $closure = yes ]; then
    case $name in
      libc6 | libc-* | libstdc++* | libgcc* | libgomp* | gcc-*) into=$target-runtime ;;
    esac
  fi
  mkdir -p "$into"
  dpkg-deb -x "$work/packages/$name"_*.deb "$into"
  version=$(dpkg-deb -f "$work/packages/$name"_*.deb Version)
  echo "$name $version" >>"$target.versions"
done
