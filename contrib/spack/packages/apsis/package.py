# SPDX-License-Identifier: Apache-2.0
"""Spack recipe of Apsis, for the checkout that contains it. Not tried: see docs/install.md."""
import os

from spack.package import *

try:  # Spack 1; before, these were in spack.package
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.rocm import ROCmPackage
except ImportError:
    pass


class Apsis(CMakePackage, CudaPackage, ROCmPackage):
    """Performance-portable gravitational N-body code for star clusters, planetary systems and galaxies."""

    # No release has been published: the source is the checkout around this recipe.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("Apache-2.0", checked_by="Apsis")

    version("0.1.0", branch="main")

    variant("openmp", default=True, description="Run on CPU cores with OpenMP")
    variant("mpi", default=False, description="Share runs between processes")
    variant("view", default=True, description="Serve live views to browsers")

    conflicts("+cuda", when="+rocm", msg="one build has one backend")
    conflicts("cuda_arch=none", when="+cuda", msg="give cuda_arch, as cuda_arch=90")
    conflicts("amdgpu_target=none", when="+rocm", msg="give amdgpu_target, as amdgpu_target=gfx90a")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    # The default backend of Kokkos must be that of Apsis.
    depends_on("kokkos@4.6: ~cuda ~rocm +openmp", when="+openmp ~cuda ~rocm")
    depends_on("kokkos@4.6: ~cuda ~rocm ~openmp +serial", when="~openmp ~cuda ~rocm")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos@4.6: +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos@4.6: +rocm amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")
    depends_on("kokkos-kernels")

    depends_on("hdf5@1.10.8: ~mpi")
    depends_on("libpng")
    depends_on("freetype")
    depends_on("cli11@2.4.1:")
    depends_on("nlohmann-json@3.11.2:")
    depends_on("boost@1.74:", when="+view")
    depends_on("mpi", when="+mpi")

    def backend(self) -> str:
        """Returns the backend of the build tree, as APSIS_BACKEND has it."""
        for variant_name, name in (("+cuda", "cuda"), ("+rocm", "hip"), ("+openmp", "openmp")):
            if self.spec.satisfies(variant_name):
                return name
        return "serial"

    def cmake_args(self) -> list:
        """Returns the options of CMake. The instruction set is that of Spack's target."""
        arguments = [
            self.define("APSIS_BACKEND", self.backend()),
            self.define("APSIS_DEPENDENCIES", "system"),
            self.define("APSIS_NATIVE", False),
            self.define("APSIS_BUILD_TESTS", False),
            self.define_from_variant("APSIS_ENABLE_MPI", "mpi"),
            self.define_from_variant("APSIS_ENABLE_VIEW", "view"),
        ]
        if self.spec.satisfies("+rocm"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        elif self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        return arguments
