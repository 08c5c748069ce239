#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The package for Spack passes options that this version has. A stand-in for Spack, which no package registry
# has, records what the file declares; tests/release/spack.bats has Spack itself.

bats_require_minimum_version 1.5.0
load ../environment

@test "each variant of the Spack package sets options that the list of packages declares" {
    cd "$BATS_TEST_DIRNAME/../.."
    mkdir -p "$BATS_TEST_TMPDIR/spack"
    touch "$BATS_TEST_TMPDIR/spack/__init__.py"
    cat > "$BATS_TEST_TMPDIR/spack/package.py" <<'TEXT'
def _directive(*words, **more):
    pass


license = version = depends_on = conflicts = requires = extends = _directive
VARIANTS = []
python_platlib = 'PLATLIB'


def variant(name, **more):
    VARIANTS.append(name)


class MakefilePackage:
    pass
TEXT
    cat > "$BATS_TEST_TMPDIR/options.py" <<'TEXT'
import runpy
import spack.package

names = runpy.run_path('packaging/spack/package.py')


class Spec(dict):
    def __init__(self, on):
        super().__init__(mpi=type('Mpi', (), {'name': 'mpich', 'mpicc': '/mpich/bin/mpicc'}))
        self.on = on

    def satisfies(self, text):
        assert text[1:] in spack.package.VARIANTS, text
        return self.on


for on in True, False:
    package = names['Memphis']()
    package.spec, package.prefix = Spec(on), '/prefix'
    print(*package._options())
print(*spack.package.VARIANTS)
TEXT
    PYTHONPATH=$BATS_TEST_TMPDIR run -0 python3 "$BATS_TEST_TMPDIR/options.py"
    [ "${lines[2]}" = 'fortran mpi otf2 papi pcp python slurm' ]
    [[ "${lines[0]}" == 'WITH_ABI=auto MPICC_mpich=/mpich/bin/mpicc WITH_CAPSTONE=yes '*' WITH_FORTRAN=yes WITH_OTF2=yes WITH_PAPI=yes WITH_PCP=yes WITH_MPICH=yes WITH_OPENMPI=no SPANK=yes pythondir=PLATLIB prefix=/prefix' ]]
    [[ "${lines[1]}" == 'WITH_ABI=no WITH_CAPSTONE=yes '*' WITH_FORTRAN=no WITH_OTF2=no WITH_PAPI=no WITH_PCP=no WITH_MPICH=no WITH_OPENMPI=no SPANK=no prefix=/prefix' ]]
    # make refuses an option that the list does not declare.
    # shellcheck disable=SC2086 # a list of options
    run -0 make -n ${lines[0]} uninstall
}
