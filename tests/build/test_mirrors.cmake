# SPDX-License-Identifier: Apache-2.0
# Messages of cmake/debian/prefix.sh about mirrors that do not deliver. The package client is
# replaced by a script whose mirrors fail with apt's own messages; no network is used.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/etc/sources.list.d" "${WORK}/errors")

function(write_program name text)
  file(WRITE "${WORK}/bin/${name}" "#!/bin/sh\n${text}\n")
  file(CHMOD "${WORK}/bin/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
write_program(apt-config "echo \"sourcelist='${WORK}/etc/sources.list'\"; echo \"sourceparts='${WORK}/etc/sources.list.d'\"")
# A mirror http://NAME.invalid/ fails with the text in errors/NAME, if that file exists.
write_program(apt-get [[
here=$(dirname "$0")/..
name=$(sed -E 's|.*http://([a-z]+)\.invalid.*|\1|' "$(dirname "$2")/sources.list")
case "$*" in
*update*)
  echo "$name" >>"$here/asked"
  if [ -e "$here/errors/$name" ]; then cat "$here/errors/$name"; exit 100; fi ;;
*download*)
  if [ -e "$here/errors/download" ]; then cat "$here/errors/download"; exit 100; fi
  touch library_1.2-3_all.deb ;;
esac]])
write_program(apt-cache "echo 'Version: 1.2-3'")
write_program(dpkg-deb [[
case $1 in
-x) touch "$3/unpacked" ;;
*) echo 1.2-3 ;;
esac]])
write_program(dpkg "[ \"$(printf '%s\\n' \"$2\" \"$4\" | sort -V | head -n 1)\" = \"$4\" ]")

# Runs prefix.sh: returns `said` and `status`.
function(run_prefix)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PATH=${WORK}/bin:$ENV{PATH}" sh "${SOURCE}/cmake/debian/prefix.sh"
            "${WORK}/apt" "${WORK}/library" ${ARGN} library
    OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
  set(said "${said}" PARENT_SCOPE)
  set(status "${status}" PARENT_SCOPE)
endfunction()
function(expect_status expected)
  if(NOT status EQUAL expected)
    message(SEND_ERROR "the status is ${status}, not ${expected}: ${said}")
  endif()
endfunction()
function(expect_words)
  foreach(words IN LISTS ARGN)
    string(FIND "${said}" "${words}" place)
    if(place EQUAL -1)
      message(SEND_ERROR "it does not say '${words}', but\n${said}")
    endif()
  endforeach()
endfunction()
# set_sources(NAME...): uses these mirrors only.
function(set_sources)
  file(REMOVE_RECURSE "${WORK}/apt" "${WORK}/asked" "${WORK}/library")
  list(TRANSFORM ARGN REPLACE "(.+)" "deb [trusted=yes] http://\\1.invalid/debian stable main\n")
  list(JOIN ARGN "" lines)
  file(WRITE "${WORK}/etc/sources.list" "# a comment\n${lines}")
endfunction()

# Each kind of failure: apt's message, and the advice.
file(WRITE "${WORK}/errors/resolve"
  "E: Failed to fetch http://resolve.invalid/InRelease  Could not resolve 'resolve.invalid'\nE: Some index files failed\n")
file(WRITE "${WORK}/errors/silent"
  "E: Failed to fetch http://silent.invalid/InRelease  Temporary failure resolving 'silent.invalid'\n")
file(WRITE "${WORK}/errors/network"
  "W: Failed to fetch http://network.invalid/InRelease  Could not connect to network.invalid:80 - connect (101: Network is unreachable)\n")
file(WRITE "${WORK}/errors/expired"
  "E: Release file for http://expired.invalid/InRelease is expired (invalid since 3d 2h). Updates for this repository will not be applied.\n")
file(WRITE "${WORK}/errors/security" "E: The repository 'http://security.invalid/debian sid Release' does not have a Release file.\n")
file(WRITE "${WORK}/errors/unsigned"
  "W: GPG error: http://unsigned.invalid/InRelease: the public key is not available: NO_PUBKEY 1\nE: The repository is not signed.\n")
file(WRITE "${WORK}/errors/full" "E: Write error - write (28: No space left on device)\n")
foreach(row
    "resolve|Could not resolve 'resolve.invalid'|check the network and /etc/resolv.conf"
    "silent|Temporary failure resolving|check the network and /etc/resolv.conf"
    "network|Network is unreachable|check the network, or set a proxy"
    "expired|is expired (invalid since 3d 2h)|check this machine's date"
    "security|does not have a Release file|one of security updates alone is not enough"
    "unsigned|NO_PUBKEY 1|install the package debian-archive-keyring"
    "full|No space left on device|the disk is full")
  string(REPLACE "|" ";" row "${row}")
  list(POP_FRONT row name)
  set_sources(${name})
  run_prefix()
  expect_status(3)
  expect_words("http://${name}.invalid/debian: " ${row} "debian's sid" "CONTRIBUTING.md")
endforeach()

# Every mirror is tried and has its line.
set_sources(resolve expired security)
run_prefix()
expect_status(3)
expect_words("resolve.invalid/debian: Failed to fetch" "expired.invalid/debian: Release file" "security.invalid/debian: The repository"
  "To do: the mirror's name is not resolved")
file(READ "${WORK}/apt/update.log" said)
expect_words("== http://resolve.invalid" "== http://expired.invalid" "== http://security.invalid")
set_sources()
run_prefix()
expect_status(3)
expect_words("apt's sources name no mirror")

# One working mirror is enough; only lists of the package client remain.
set_sources(expired good)
run_prefix(--at-least library 1.2)
expect_status(0)
file(GLOB_RECURSE left "${WORK}/*.deb")
if(left OR NOT EXISTS "${WORK}/library/unpacked")
  message(SEND_ERROR "unpacking leaves '${left}'")
endif()
file(READ "${WORK}/library.versions" said)
expect_words("library 1.2-3\n")

# A release that is too old is refused before its packages are downloaded.
set_sources(good)
run_prefix(--at-least library 1.10)
expect_status(1)
expect_words("sid has library 1.2-3, 1.10 or newer is needed")
if(EXISTS "${WORK}/library")
  message(SEND_ERROR "too old, but unpacked")
endif()

# A failed download is reported, and the next attempt contacts the mirrors again.
file(WRITE "${WORK}/errors/download" "E: Failed to fetch library.deb  404  Not Found\n")
set_sources(good)
run_prefix()
expect_status(1)
expect_words("the download from sid failed: E: Failed to fetch library.deb")
file(REMOVE "${WORK}/errors/download")
run_prefix()
expect_status(0)
file(STRINGS "${WORK}/asked" said)
if(NOT said STREQUAL "good;good")
  message(SEND_ERROR "asked: ${said}")
endif()

# Both formats of apt; sources of source packages and disabled ones are no mirrors.
set_sources(resolve)
file(WRITE "${WORK}/etc/sources.list.d/a.sources" "Types: deb\nEnabled: no\nURIs: http://disabled.invalid/debian\nSuites: x\n
# one more\nTypes: deb-src\nURIs: http://code.invalid/debian\n\nTypes: deb deb-src\nURIs: http://expired.invalid/debian
  http://security.invalid/debian\nSuites: x\n")
file(WRITE "${WORK}/etc/sources.list.d/b.list" "deb-src http://code.invalid/debian x main\ndeb cdrom:[x]/ x main\n")
run_prefix()
file(STRINGS "${WORK}/asked" said)
if(NOT said STREQUAL "resolve;expired;security")
  message(SEND_ERROR "asked: ${said}")
endif()
file(REMOVE_RECURSE "${WORK}")
