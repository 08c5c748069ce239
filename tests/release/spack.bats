#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Spack loads the package, finds no fault with it, and installs the archive from a mirror, with its own wrappers of compilers, and the libraries of the
# system. If these tests fail, sites that install by Spack have no Memphis. Spack is the command of this name, with the settings of its
# installation (its own packages, and a mirror of what it needs itself if there is no network).

bats_require_minimum_version 1.5.0
load ../environment

# version_of PACKAGE: prints the version of Debian's package, as its authors call it.
version_of() {
    dpkg-query -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[+~-].*//'
}

# external PACKAGE VERSION PREFIX [MORE]: prints the entry of a package that the system has.
external() {
    printf '  %s:\n    buildable: false\n    externals:\n    - spec: %s@%s\n      prefix: %s\n' "$1" "$1" "$2${4:-}" "$3"
}

# systems_packages: prints packages.yaml.
systems_packages() {
    local ours theirs

    printf 'packages:\n  mpi:\n    require: mpich\n'
    external gcc "$(gcc -dumpfullversion)" /usr " languages:='c,c++,fortran'"
    printf '      extra_attributes:\n        compilers: {c: /usr/bin/gcc, cxx: /usr/bin/g++, fortran: /usr/bin/gfortran}\n'
    external mpich "$(version_of libmpich-dev)" "$PWD/mpich"
    while read -r ours theirs; do
        external "$ours" "$(version_of "$theirs")" /usr
    done <<'TEXT'
capstone libcapstone-dev
elfutils libdw-dev
gmake make
hwloc libhwloc-dev
otf2 libotf2-trace-dev
papi libpapi-dev
protobuf-c libprotobuf-c-dev
py-pandas python3-pandas
python python3
scotch libscotch-dev
slurm libslurm-dev
sqlite libsqlite3-dev
uthash uthash-dev
zlib zlib1g-dev
zstd libzstd-dev
TEXT
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
    export version
    cd -P "$BATS_FILE_TMPDIR" || exit
    type -P spack > /dev/null || return 0
    export SPACK_USER_CONFIG_PATH=$PWD/config SPACK_USER_CACHE_PATH=$PWD/cache
    mkdir -p config mirror/memphis mpich/bin
    ln -s "$(type -P mpicc.mpich)" mpich/bin/mpicc
    systems_packages > config/packages.yaml
    printf 'config:\n  install_tree: {root: %s/installed}\n  build_stage: [%s/stage]\n' "$PWD" "$PWD" > config/config.yaml
    make -s -C "$top" dist BUILD="$PWD"
    ln -s "$PWD/dist/memphis-$version.tar.gz" mirror/memphis/
    spack mirror add site "file://$PWD/mirror"
    spack repo create repository site
    repository=$(dirname "$(find repository -name repo.yaml)")
    spack repo add "$PWD/$repository"
    mkdir "$repository/packages/memphis"
    cp "$top/packaging/spack/package.py" "$repository/packages/memphis"
}

setup() {
    cd -P "$BATS_FILE_TMPDIR" || exit
}

needs_spack() {
    type -P spack > /dev/null || skip "there is no Spack here"
}

@test "the style of packages of Spack is kept" {
    /usr/bin/python3 -m venv ruff
    ruff/bin/pip install -q ruff
    # As pyproject.toml of Spack's packages has it.
    run -0 ruff/bin/ruff format --isolated --line-length 99 --diff "$top/packaging/spack/package.py"
    run -0 ruff/bin/ruff check --isolated --line-length 99 --select E,F,I,W --ignore F403,F405 "$top/packaging/spack/package.py"
}

@test "Spack knows all variants of the package, and its audit finds nothing" {
    needs_spack
    run -0 spack python -c 'import spack.repo; print(*sorted(set(spack.repo.PATH.get_pkg_class("memphis").variant_names()) - {"build_system"}))'
    [ "$output" = 'fortran mpi otf2 papi pcp python slurm' ]
    run -0 spack audit packages memphis
    run ! grep -v ': passed$' <<< "$output"
}

@test "Spack installs the archive from a mirror with all variants, and what it installed works" {
    needs_spack
    # The package states no checksum, as an archive has none before its release.
    spack install --no-checksum --fresh memphis +otf2 +papi +slurm ^mpich < /dev/null 3>&-
    prefix=$(spack location -i memphis)
    run -0 "$prefix/bin/memphis" --version
    [ "$output" = "memphis $version
tool with: capstone,demangle,hwloc,otf2,protobuf,scotch,sqlite,zlib,zstd
library: $prefix/lib/libmemphis.so.0
library with: mpich,papi
library without: abi,openmpi,pcp" ]
    "$prefix/bin/memphis" record -q --backend none -o run -- ls
    run -0 "$prefix/bin/memphis" report run
    [[ "$output" == *'backend none, from start to end'* ]]
    find "$prefix" -name memphis.mod -o -name memphis.so -o -path '*/etc/*.conf' | sed "s,$prefix/,," | sort > found
    echo "$(< found)"
    [ "$(< found)" = "etc/memphis/batch.conf
include/memphis/memphis.mod
libexec/memphis/batch/slurm/memphis.so" ]
    # Spack's python finds the module and its library.
    eval "$(spack load --sh memphis)"
    [ "$(/usr/bin/python3 -c 'import memphis; print(memphis.version())')" = "$version" ]
}
