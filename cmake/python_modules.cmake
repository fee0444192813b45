# SPDX-License-Identifier: Apache-2.0
# Python modules that some tests need.
set(apsis_python_modules numpy h5py matplotlib PIL yt)

# apsis_find_python_modules(PYTHON OUT): returns those of apsis_python_modules that this Python can
# import. PYTHON may be "NOTFOUND".
function(apsis_find_python_modules python out)
  set(${out} "" PARENT_SCOPE)
  if(NOT python)
    return()
  endif()
  execute_process(
    COMMAND "${python}" -c
      "import importlib.util, sys; print(';'.join(n for n in sys.argv[1:] if importlib.util.find_spec(n)), end='')"
      ${apsis_python_modules}
    OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(${out} "${found}" PARENT_SCOPE)
  endif()
endfunction()
