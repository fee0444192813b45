#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian packages into a private directory, as any user, without touching the system.
#
#   prefix.sh WORK TARGET [--check] [--own-suite | --suite SUITE] [--at-least PACKAGE VERSION]... [--closure] PACKAGE...
#
# WORK    keeps apt's own state and lists (reused by later calls; may be removed between calls)
# TARGET  receives the unpacked files. TARGET.versions: a line "PACKAGE VERSION" for each package,
#         TARGET.depends: the dependencies of each, TARGET.suite: the suite
# --check    only tests whether the suite has the packages
# --own-suite  takes the packages of this machine's own release, which run with its C library and
#            with any newer one; without this option packages come from sid, or from SUITE
# --at-least PACKAGE VERSION  fails, before any download, if the suite has an older PACKAGE
# --closure  also unpacks all dependencies of the packages: libraries from other source packages go
#            to TARGET-runtime, so that a program can use or ignore them as a whole
#
# A name that begins with ^ is a regular expression. The mirrors are those of this machine's apt;
# only the suite is chosen here. Each suite needs a WORK of its own.
set -eu

work=$1; target=$2; shift 2
check=no
if [ "$1" = --check ]; then check=yes; shift; fi
suite=sid; components=main; distribution=debian
if [ "$1" = --own-suite ]; then
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
  distribution=$(. /etc/os-release && echo "${ID:-debian}")
  if [ "$distribution" = ubuntu ]; then components="main universe"; fi
  shift
fi
minimums=
if [ "$1" = --suite ]; then suite=$2; shift 2; fi
while [ "$1" = --at-least ]; do minimums="$minimums $2=$3"; shift 3; done
closure=no
if [ "$1" = --closure ]; then closure=yes; shift; fi

# The status is 3 if no mirror answers, 1 for any other error.
fail() { echo "$*" >&2; exit "${status:-1}"; }
for tool in apt-get apt-cache apt-config dpkg-deb dpkg; do
  command -v $tool >/dev/null || fail "$tool is missing (this is not a Debian system)"
done

mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/packages"
: >"$work/state/status"
conf=$work/apt.conf
cat >"$conf" <<EOF
Dir::State "$work/state";
Dir::State::status "$work/state/status";
Dir::Cache "$work/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
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

# The mirrors of packages that this machine's sources name, in order (both formats of apt).
sourcelist=/etc/apt/sources.list; sourceparts=/etc/apt/sources.list.d/
eval "$(apt-config shell sourcelist Dir::Etc::sourcelist/f sourceparts Dir::Etc::sourceparts/d)"
mirrors() {
  cat "$sourcelist" "${sourceparts%/}"/*.list 2>/dev/null |
    sed -nE 's/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([a-z+]+:[^[:space:]]+)[[:space:]].*/\2/p'
  for file in "${sourceparts%/}"/*.sources; do
    [ -r "$file" ] || continue
    awk 'function flush() { if (types ~ /(^| )deb( |$)/ && enabled != "no") print uris; types = uris = enabled = key = "" }
      /^[[:space:]]*$/ { flush(); next }
      /^#/ { next }
      /^[^[:space:]]/ { key = tolower($0); sub(/:.*/, "", key); sub(/^[^:]*:[[:space:]]*/, "") }
      key == "types" { types = types " " $0 }
      key == "uris" { uris = uris " " $0 }
      key == "enabled" { enabled = tolower($1) }
      END { flush() }' "$file" | tr ' ' '\n'
  done
}

# The keyring of a distribution, in either format.
keyring=/usr/share/keyrings/$distribution-archive-keyring.gpg
[ -r "$keyring" ] || keyring=/usr/share/keyrings/$distribution-archive-keyring.pgp
signed=
[ -r "$keyring" ] && signed="[signed-by=$keyring] "

# Advice for the errors in a log of the package client.
advise() {
  if grep -qE 'Could not resolve|Temporary failure resolving|No address associated' "$1"; then
    echo "the mirror's name is not resolved: check the network and /etc/resolv.conf"
  fi
  if grep -qE 'Could not connect|Connection (refused|timed out|failed)|Network is unreachable|Unable to connect|Cannot initiate' "$1"; then
    echo "the mirror is not reached: check the network, or set a proxy (Acquire::http::Proxy) for apt"
  fi
  if grep -qE 'is expired|expired \(|not valid yet|EXPKEYSIG' "$1"; then
    echo "the mirror's index is out of date: check this machine's date, or use a mirror that is kept up to date"
  fi
  if grep -qE 'NO_PUBKEY|is not signed|BADSIG' "$1"; then
    echo "the mirror's index is not signed by a known key: install the package $distribution-archive-keyring"
  fi
  if grep -qE 'does not have a Release file|404 ' "$1"; then
    echo "the mirror lacks $suite: add a full mirror of $distribution to apt's sources (one of security updates alone is not enough)"
  fi
  if grep -qE 'No space left|not enough free space' "$1"; then
    echo "the disk is full: free some space"
  fi
}

if [ ! -s "$work/sources.list" ] || [ ! -e "$work/updated" ]; then
  : >"$work/update.log"
  : >"$work/advice"
  tried=
  for mirror in $(mirrors | grep -v '^cdrom:' | awk 'NF && !seen[$0]++'); do
    echo "deb ${signed}$mirror $suite $components" >"$work/sources.list"
    if apt-get -c "$conf" -qq -o APT::Update::Error-Mode=any -o Acquire::Retries=1 update >"$work/mirror.log" 2>&1; then
      : >"$work/updated"
      break
    fi
    { echo "== $mirror $suite"; cat "$work/mirror.log"; } >>"$work/update.log"
    said=$(grep -E '^(E|W|Err)' "$work/mirror.log" | grep -v 'Some index files failed' | head -n 1 | sed -E 's/^[EW]: *//')
    tried="$tried
    $mirror: ${said:-nothing}"
    advise "$work/mirror.log" >>"$work/advice"
  done
  if [ ! -e "$work/updated" ]; then
    rm -f "$work/sources.list"
    status=3
    if [ -z "$tried" ]; then
      fail "apt's sources name no mirror for packages ($sourcelist, ${sourceparts%/}): add one of $distribution"
    fi
    fail "no mirror of this machine's apt sources gives $distribution's $suite. apt-get said:$tried
    To do: $(awk 'NF && !seen[$0]++ { printf "%s%s", separator, $0; separator = "; " }' "$work/advice")
    (full log: $work/update.log; without a network see CONTRIBUTING.md)"
  fi
fi

for minimum in $minimums; do
  package=${minimum%%=*}; wanted=${minimum#*=}
  version=$(apt-cache -c "$conf" --no-all-versions show "$package" 2>/dev/null | sed -n 's/^Version: *//p' | head -n 1)
  [ -n "$version" ] || fail "$suite has no $package"
  dpkg --compare-versions "$version" ge "$wanted" || fail "$suite has $package $version, $wanted or newer is needed"
done

if [ $check = yes ]; then exit 0; fi

# Remains of a failed download must not stop the next attempt, which contacts the mirrors again.
drop() { rm -f "$work/updated"; fail "$*"; }
names=$*
if [ $closure = yes ]; then
  names=$(apt-get -c "$conf" -s install "$@" 2>"$work/resolve.log" | sed -nE 's/^Inst ([^ ]+) .*/\1/p') || names=
fi
[ -n "$names" ] || drop "apt knows none of $* in $suite: $(tail -n 1 "$work/resolve.log" 2>/dev/null)"

# shellcheck disable=SC2086  # the names are a list
(cd "$work/packages" && apt-get -c "$conf" -qq download $names >"$work/download.log" 2>&1) ||
  drop "the download from $suite failed: $(tail -n 1 "$work/download.log") $(advise "$work/download.log" | tr '\n' ' ')"

for name in $names; do
  into=$target
  if [ $closure = yes ]; then
    case $name in
      libc6 | libc-* | libstdc++* | libgcc* | libgomp* | gcc-*) into=$target-runtime ;;
    esac
  fi
  mkdir -p "$into"
  package=$(ls "$work/packages/$name"_*.deb)
  dpkg-deb -x "$package" "$into"
  echo "$name $(dpkg-deb -f "$package" Version)" >>"$target.versions"
  echo "$name $(dpkg-deb -f "$package" Depends)" >>"$target.depends"
  rm "$package"
done
echo "$suite" >"$target.suite"
