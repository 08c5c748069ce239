#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The packages for Fedora, RHEL and SUSE, made by Debian's rpm of what is built here, and installed into a root. If these tests fail, the spec files
# do not fit what make installs, or a part lacks what it needs.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
    export version
    make -s lib tool
    make -s -C batch/slurm BUILD="$top/build"
    cd -P "$BATS_FILE_TMPDIR" || exit
    # The parts are built already, so $(MAKE) has nothing to do. Debian's rpm knows no installed packages.
    "$top/packaging/rpm/build" "$version" "$PWD/rpm" memphis --nodeps --define 'debug_package %{nil}' --define 'mpicc_mpich mpicc.mpich' \
        --define 'mpicc_openmpi mpicc.openmpi' --define "__make make MAKE=true PACKAGES=true BUILD=$top/build" > built
    # In place of a module for a kernel.
    printf '#!/bin/sh\ncase "$*" in *"-C kmod modules"*) cp %s kmod/memphis.ko ;; *) exec make "$@" ;; esac\n' "$top/build/libsampler/base/clock.o" > make-module
    chmod +x make-module
    "$top/packaging/rpm/build" "$version" "$PWD/kmod" memphis-kmod --nodeps --define "__make $PWD/make-module" --define 'kernel 5.14.0-1.el9.x86_64' > built-kmod
}

setup() {
    cd -P "$BATS_FILE_TMPDIR" || exit
    unset "${!MEMPHIS_@}" LD_LIBRARY_PATH
}

expect() {
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# own_root COMMAND...: runs a command with root's rights over own files.
own_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        unshare --user --map-root-user -- "$@"
    fi
}

# contents PACKAGE [DIRECTORY]: prints what the package has, without pages and sources of which there are many.
contents() {
    rpm -qpl "${2:-rpm}"/RPMS/*/"$1-$version"-*.rpm | grep -v -e '^/usr/lib/.build-id' -e '^/usr/src/memphis-.*/.' -e '/man3/memphis_' -e '^/usr/share/doc/[^/]*/[^/]*/' -e '^/usr/share/licenses'
}

@test "the spec files make a package of each part, and each part needs those that it cannot work without" {
    expect "memphis-$version-1.src.rpm
memphis-$version-1.x86_64.rpm
memphis-counters-$version-1.x86_64.rpm
memphis-devel-$version-1.x86_64.rpm
memphis-dkms-$version-1.noarch.rpm
memphis-gfortran-$version-1.x86_64.rpm
memphis-libs-$version-1.x86_64.rpm
memphis-mpi-$version-1.x86_64.rpm
memphis-slurm-$version-1.x86_64.rpm
python3-memphis-$version-1.noarch.rpm" "$(sed 's,.*/,,' built | sort)"
    for part in memphis:memphis-libs memphis-counters:memphis-libs memphis-devel:memphis-libs memphis-gfortran:memphis-devel memphis-mpi:memphis-libs memphis-slurm:memphis; do
        rpm -qpR rpm/RPMS/*/"${part%:*}-$version"-*.rpm | grep -qx "${part#*:}(x86-64) = $version-1"
    done
    # No package asks for an MPI library, as the program brings it.
    run ! grep '^libmpi' <(rpm -qpR rpm/RPMS/*/*.rpm)
    rpm -qp --provides rpm/RPMS/*/memphis-libs-*.rpm | grep -qx 'libmemphis.so.0(MEMPHIS_1.0)(64bit)'
}

@test "each part has its files" {
    expect '/usr/lib64/libmemphis.so.0
/usr/lib64/memphis
/usr/lib64/memphis/libmemphis-io.so' "$(contents memphis-libs)"
    expect '/usr/lib64/memphis/memphis-papi
/usr/lib64/memphis/memphis-pcp' "$(contents memphis-counters)"
    expect '/usr/bin/memphis-mpi-reduce.mpich
/usr/bin/memphis-mpi-reduce.openmpi
/usr/lib64/memphis/libmemphis-mpi-mpich.so
/usr/lib64/memphis/libmemphis-mpi-openmpi.so
/usr/share/man/man1/memphis-mpi-reduce.1
/usr/share/man/man7/memphis-mpi.7' "$(contents memphis-mpi)"
    expect '/usr/lib64/gfortran/modules/memphis.mod
/usr/share/memphis
/usr/share/memphis/memphis_fortran.F90
/usr/share/memphis/memphis_stub.F90' "$(contents memphis-gfortran)"
    contents memphis-slurm | grep -qx /usr/libexec/memphis/batch/slurm/memphis.so
    [ "$(rpm -qpc rpm/RPMS/*/memphis-slurm-*.rpm)" = /etc/memphis/batch.conf ]
    expect "/usr/lib/modules-load.d/memphis.conf
/usr/lib/sysusers.d/memphis.conf
/usr/lib/udev/rules.d/60-memphis.rules
/usr/share/man/man4/memphis.4
/usr/src/memphis-$version" "$(contents memphis-dkms)"
    expect '/lib/modules/5.14.0-1.el9.x86_64/extra/memphis
/lib/modules/5.14.0-1.el9.x86_64/extra/memphis/memphis.ko
/usr/lib/modules-load.d/memphis.conf
/usr/lib/sysusers.d/memphis.conf
/usr/lib/udev/rules.d/60-memphis.rules
/usr/share/doc/kmod-memphis/examples
/usr/share/man/man4/memphis.4' "$(contents kmod-memphis kmod)"
}

@test "rpm installs them into a root, where the tool finds the library, records and reports, and removes them without a rest" {
    mkdir root
    # Scripts of packages need programs in the root.
    own_root rpm --root "$PWD/root" --nodeps --noscripts -i rpm/RPMS/*/*.rpm
    root/usr/bin/memphis --version | grep -qx "library: $PWD/root/usr/lib64/libmemphis.so.0"
    root/usr/bin/memphis record -q --backend none -o run -- true
    run -0 root/usr/bin/memphis report run
    # shellcheck disable=SC2046 # names
    own_root rpm --root "$PWD/root" --noscripts --nodeps -e $(rpm --root "$PWD/root" -qa --qf '%{NAME} ')
    [ "$(find root -iname '*memphis*')" = '' ]
}

@test "rpmlint finds nothing but what its list of exceptions explains" {
    run -0 rpmlint -c "$top/packaging/rpm/rpmlint.toml" "$top"/packaging/rpm/*.spec rpm/RPMS/*/*.rpm rpm/SRPMS/*.rpm kmod/RPMS/*/*.rpm
    echo "$output"
    [[ "$output" == *' 0 errors, 0 warnings, 0 badness'* ]]
}
