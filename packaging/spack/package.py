# SPDX-License-Identifier: BSD-3-Clause
# For a repository of packages of the site: packages/memphis/package.py

from spack.package import *

try:
    # Since Spack 1.0
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass

LIBRARIES = ("CAPSTONE", "DEMANGLE", "HWLOC", "PROTOBUF", "SCOTCH", "SQLITE", "ZLIB", "ZSTD")
# Packages with the binary interface of Open MPI; the others have that of MPICH.
OPENMPI = ("openmpi", "hpcx-mpi", "nvhpc")


class Memphis(MakefilePackage):
    """Memphis samples memory accesses in hardware and reports for each NUMA node the variables and
    source lines at which a parallel program waits for memory. The kernel module is installed by
    the administrator; without it, samples come from perf."""

    # The owner of the project fills in its address.
    homepage = "https://memphis.invalid/"
    url = "https://memphis.invalid/memphis-0.1.0.tar.gz"

    license("BSD-3-Clause AND GPL-2.0-only")

    version("0.1.0")

    variant("fortran", default=True, description="The Fortran interface, for gfortran")
    variant("mpi", default=True, description="Waiting of MPI ranks, and memphis-mpi-reduce")
    variant("otf2", default=False, description="Export to OTF2")
    variant("papi", default=False, description="Counters of PAPI")
    variant("pcp", default=False, description="Counters of the system's Performance Co-Pilot")
    variant("python", default=True, description="The Python interface")
    variant("slurm", default=False, description="The Slurm plug-in and the scripts for Slurm")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("gmake", type="build")
    depends_on("elfutils@0.176:")
    depends_on("uthash", type="build")
    depends_on("capstone@4:")
    depends_on("hwloc")
    depends_on("protobuf-c")
    depends_on("scotch")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("mpi", when="+mpi")
    depends_on("otf2@3:", when="+otf2")
    depends_on("papi", when="+papi")
    depends_on("py-pandas", type="run", when="+python")
    extends("python", when="+python")
    depends_on("slurm", when="+slurm")

    conflicts("platform=darwin")
    requires("target=x86_64:")

    sanity_check_is_file = ["bin/memphis", "include/memphis.h", "lib/libmemphis.so.0"]

    # Makefiles take options of the package as variables.
    def _options(self):
        spec = self.spec
        chosen = set(LIBRARIES)
        for name in ("fortran", "otf2", "papi", "pcp"):
            if spec.satisfies("+" + name):
                chosen.add(name.upper())
        # The compiler for the binary interface of MPI's standard comes with MPICH.
        options = ["WITH_ABI=" + ("auto" if spec.satisfies("+mpi") else "no")]
        if spec.satisfies("+mpi"):
            kind = "openmpi" if spec["mpi"].name in OPENMPI else "mpich"
            chosen.add(kind.upper())
            options.append(f"MPICC_{kind}={spec['mpi'].mpicc}")
        for name in (*LIBRARIES, "FORTRAN", "OTF2", "PAPI", "PCP", "MPICH", "OPENMPI"):
            options.append(f"WITH_{name}=" + ("yes" if name in chosen else "no"))
        options.append("SPANK=" + ("yes" if spec.satisfies("+slurm") else "no"))
        if spec.satisfies("+python"):
            options.append(f"pythondir={python_platlib}")
        options.append(f"prefix={self.prefix}")
        return options

    def build(self, spec, prefix):
        make("lib", "tool", *self._options())

    def install(self, spec, prefix):
        make("install", *self._options())
        if spec.satisfies("+slurm"):
            make("install-slurm", f"sysconfdir={prefix.etc}", *self._options())
