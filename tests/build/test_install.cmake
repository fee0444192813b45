# SPDX-License-Identifier: Apache-2.0
# Installs the component `program`, which is the .deb: it has a manual page for each command, completions, licence and
# changelog, and nothing else than a user needs.
cmake_minimum_required(VERSION 3.25)
set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --component program
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# expect_text(FILE PATTERN): the file, decompressed if its name says so, matches the pattern.
function(expect_text file pattern)
  if(NOT EXISTS "${prefix}/${file}")
    message(SEND_ERROR "the installation lacks ${file}")
    return()
  endif()
  set(print cat)
  if(file MATCHES "\\.gz$")
    set(print gzip -dc)
    file(READ "${prefix}/${file}" time HEX OFFSET 4 LIMIT 4)
    if(NOT time STREQUAL "00000000")
      message(SEND_ERROR "${file} contains the time of its compression: two builds give two files")
    endif()
  endif()
  execute_process(COMMAND ${print} "${prefix}/${file}" OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT text MATCHES "${pattern}")
    message(SEND_ERROR "${file} (status ${status}) does not match '${pattern}'")
  endif()
endfunction()

# Commands as `apsis help` lists them.
execute_process(COMMAND "${prefix}/bin/apsis" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\nSUBCOMMANDS:" "" help "${help}")
string(REGEX MATCHALL "\n  [a-z]+ " commands "${help}")
list(LENGTH commands count)
if(count LESS 10)
  message(SEND_ERROR "apsis --help lists ${count} commands (it has more than ten):\n${help}")
endif()
expect_text(share/man/man1/apsis.1.gz "^\\.TH APSIS 1")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  expect_text("share/man/man1/apsis-${command}.1.gz" "^\\.TH APSIS.*-${command} 1")
endforeach()
expect_text(share/man/man5/apsis-deck.5.gz "^\\.TH APSIS.*-DECK 5")
expect_text(share/bash-completion/completions/apsis "complete .*apsis")
expect_text("share/man/man1/apsis.${BACKEND}.1.gz" "^\\.TH APSIS 1")
expect_text("${ZSH_DIR}/_apsis" "^#compdef apsis")
expect_text(share/fish/vendor_completions.d/apsis.fish "for program in apsis")
expect_text(share/doc/apsis/copyright "^Format: .*License: Apache-2.0.*Bitstream")
expect_text(share/doc/apsis/changelog.gz "^# Changelog")

# The program of `apsis bench`.
execute_process(COMMAND "${prefix}/bin/apsis" bench --bodies 8 --kernel all --precision double
  OUTPUT_VARIABLE rates COMMAND_ERROR_IS_FATAL ANY)
if(NOT rates MATCHES " pairwise_tile ")
  message(SEND_ERROR "the installed apsis bench measures nothing:\n${rates}")
endif()

# All its files.
file(GLOB_RECURSE files RELATIVE "${prefix}" LIST_DIRECTORIES false "${prefix}/*")
set(known "^bin/apsis(\\.${BACKEND}|-bench\\.${BACKEND}|-start)?$|^share/man/man[15]/apsis[a-z.-]*\\.[15]\\.gz$|^share/doc/apsis/(copyright|changelog\\.gz)$")
string(APPEND known "|^share/(bash-completion/completions/apsis|zsh/[a-z-]*/_apsis|fish/vendor_completions\\.d/apsis\\.fish)$")
string(APPEND known "|^(${PYTHON_DIR})/(_apsis\\.([^/]*\\.so|pyi)|apsis/.*)$|^(${LIBRARY_DIR})/(glibc-hwcaps/[^/]*/)?libapsis[a-z_]*\\.so\\.")
string(APPEND known "|^${PRIVATE_DIR}/(apsis\\.${BACKEND}|apsis-bench\\.${BACKEND}|hdf5/.*\\.so.*|pictures/.*\\.so.*|debian/kokkos.*)$")
foreach(file IN LISTS files)
  if(NOT file MATCHES "${known}" OR file MATCHES "__pycache__")
    message(SEND_ERROR "the component program has ${file}, which is no part of the program")
  endif()
endforeach()

# Each file belongs to a component, so that no package lacks it.
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/rest" --component Unspecified
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files RELATIVE "${WORK}/rest" "${WORK}/rest/*")
if(files)
  message(SEND_ERROR "without a component, so in no .deb: ${files}")
endif()
file(REMOVE_RECURSE "${WORK}")
