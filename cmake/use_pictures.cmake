# SPDX-License-Identifier: Apache-2.0
# Selects one libpng and one FreeType if a program compiles and links with them: defines
# apsis::pictures and sets `pictures_version`. Otherwise that is empty and `found_reason` holds the
# reason. A macro: both variables are the caller's.
macro(apsis_use_pictures libraries includes)
  set(APSIS_PICTURE_LIBRARIES "${libraries}")
  set(APSIS_PICTURE_INCLUDES "${includes}")
  apsis_check_pictures(pictures_version found_reason)
  if(pictures_version)
    include("${PROJECT_SOURCE_DIR}/cmake/pictures_target.cmake")
    set_property(GLOBAL PROPERTY apsis_picture_libraries "${APSIS_PICTURE_LIBRARIES}")
  endif()
endmacro()

function(apsis_check_pictures version reason)
  set(${version} "" PARENT_SCOPE)
  set(${reason} "" PARENT_SCOPE)
  set(probe "${PROJECT_BINARY_DIR}/_probe_pictures_link")
  file(WRITE "${probe}.cpp" [[
#include <cstdio>
#include <png.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#if PNG_LIBPNG_VER < 10600
#error libpng is older than 1.6
#endif
int main() {
  FT_Library library;
  int const failed = FT_Init_FreeType(&library);
  std::printf("%s", png_get_libpng_ver(nullptr));
  return failed;
}
]])
  list(GET APSIS_PICTURE_LIBRARIES 0 first)
  get_filename_component(directory "${first}" DIRECTORY)
  try_compile(works "${probe}" "${probe}.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${APSIS_PICTURE_INCLUDES}"
    LINK_OPTIONS "LINKER:-rpath-link,${directory}"
    LINK_LIBRARIES ${APSIS_PICTURE_LIBRARIES}
    OUTPUT_VARIABLE log)
  file(REMOVE_RECURSE "${probe}" "${probe}.cpp")
  if(NOT works)
    string(REGEX MATCH "[^\n]*error[^\n]*" first "${log}")
    set(${reason} "libpng and FreeType do not compile or link: ${first}" PARENT_SCOPE)
    return()
  endif()
  foreach(directory IN LISTS APSIS_PICTURE_INCLUDES)
    if(EXISTS "${directory}/png.h")
      file(STRINGS "${directory}/png.h" line REGEX "define PNG_LIBPNG_VER_STRING ")
      string(REGEX MATCH "[0-9.]+" png "${line}")
    endif()
    if(EXISTS "${directory}/freetype/freetype.h")
      file(STRINGS "${directory}/freetype/freetype.h" lines REGEX "define FREETYPE_(MAJOR|MINOR|PATCH) ")
      string(REGEX MATCHALL "[0-9]+" parts "${lines}")
      list(JOIN parts "." freetype)
    endif()
  endforeach()
  set(${version} "libpng ${png} and FreeType ${freetype}" PARENT_SCOPE)
endfunction()
