#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program in each language against an installed copy, as users do. If these
# tests fail, programs can be built with Memphis inside this source tree only.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export work=$top/build/test/languages-installed
    rm -rf "$work"
    mkdir -p "$work"
    # Install once as a distribution does, and once as a user does.
    make install DESTDIR="$work/root" prefix=/usr libdir=/usr/lib/x86_64-linux-gnu > "$work/install.log" 2>&1
    make install prefix="$work/prefix" > "$work/install-prefix.log" 2>&1
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
    export version
    missing=$(without_device "$work/prefix/lib/libmemphis.so.0" /nonexistent/memphis)
    export missing
}

setup() {
    cd "$work" || exit
    unset "${!MEMPHIS_@}" "${!PKG_CONFIG@}" "${!CMAKE@}" CFLAGS CXXFLAGS FFLAGS LD_PRELOAD LD_LIBRARY_PATH
    export MEMPHIS_DEVICE=/nonexistent/memphis MEMPHIS_BACKEND=device
}

# ends_well COMMAND...: checks that an example prints its result, and the line about the missing device.
ends_well() {
    run -0 --separate-stderr "$@"
    [ "$output" = 'sum 1' ] || [ "$output" = 'sum 1.0' ]
    [ "$stderr" = "$missing" ]
}

# all_end_well DIRECTORY: checks the examples in C, C++ and Fortran.
all_end_well() {
    local language

    for language in c cpp fortran; do
        ends_well "$1/timestep-$language"
    done
}

@test "pkg-config and make build C, C++ and Fortran programs without a warning, from DESTDIR and from a prefix" {
    mkdir -p by-make-root by-make-prefix
    PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_PATH=$work/root/usr/lib/x86_64-linux-gnu/pkgconfig \
        make -C "$top/examples/languages" OUT="$work/by-make-root" CFLAGS='-O2 -Wall -Wextra -Werror' CXXFLAGS='-O2 -Wall -Wextra -Werror' \
        FFLAGS='-O2 -Wall -Wextra -Werror'
    LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu all_end_well by-make-root
    PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig make -C "$top/examples/languages" OUT="$work/by-make-prefix"
    LD_LIBRARY_PATH=$work/prefix/lib all_end_well by-make-prefix
}

@test "make MEMPHIS=PREFIX builds the examples with known memory traffic" {
    make -s -C "$top/examples/traffic" MEMPHIS="$work/prefix" BUILD="$work/by-make-prefix"
    make -s -C "$top/examples/fft3d" MEMPHIS="$work/prefix" BUILD="$work/by-make-prefix"
    run -0 --separate-stderr by-make-prefix/examples/traffic/traffic -c 32 -r 1 gemm:32
    [ "$stderr" = "$missing" ]
    run -0 --separate-stderr by-make-prefix/examples/fft3d/fft3d -c 32 transform:24x2x3
    [[ "$stderr" == *"$missing"*"transform:24x2x3: largest difference from FFTW's transform of three dimensions: "* ]]
    run -0 ldd by-make-prefix/examples/fft3d/fft3d
    [[ "$output" == *"=> $work/prefix/lib/libmemphis.so.0 "* ]]
}

@test "pkg-config --static builds a static program in which the library interposes malloc() and the like" {
    local flags
    read -ra flags < <(PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig pkg-config --static --cflags --libs memphis)
    gcc -static -O2 -Wall -Wextra -Werror "$top/examples/languages/timestep.c" "${flags[@]}" -o timestep-static
    run -0 readelf -d timestep-static
    [[ $output != *NEEDED* ]]
    nm timestep-static | grep -q ' T __wrap_malloc$'
    ends_well ./timestep-static
}

# by_cmake NAME PREFIX: builds the examples in by-cmake-NAME.
by_cmake() {
    # Without the package registry, which may list other installations.
    cmake -Wno-dev -S "$top/examples/languages" -B "$work/by-cmake-$1" -DCMAKE_PREFIX_PATH="$2" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF &&
        cmake --build "$work/by-cmake-$1"
}

@test "CMake builds C, C++ and Fortran programs, and a static one, from DESTDIR, a prefix, and a moved prefix" {
    local place

    by_cmake root "$work/root/usr"
    by_cmake prefix "$work/prefix"
    mv prefix moved
    by_cmake moved "$work/moved"
    for place in root prefix moved; do
        readelf -d "by-cmake-$place/timestep-c" | grep -q 'NEEDED.*\[libmemphis.so.0\]'
        run -0 readelf -d "by-cmake-$place/timestep-static"
        [[ $output != *memphis* ]]
        ends_well "by-cmake-$place/timestep-static"
    done
    # The dynamic loader finds the library that CMake found.
    all_end_well by-cmake-root
    all_end_well by-cmake-moved
    mv moved prefix
    all_end_well by-cmake-prefix
}

# finds VERSION: succeeds if a project that requires this version finds Memphis.
finds() {
    rm -rf asking
    mkdir asking
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(asking C)\nfind_package(Memphis %s REQUIRED)\nmessage(STATUS "found ${Memphis_VERSION}")\n' \
        "$1" > asking/CMakeLists.txt
    cmake -S asking -B asking/build -DCMAKE_PREFIX_PATH="$work/prefix"
}

@test "CMake accepts a required version of the same series, unless it is newer, and reports an incomplete installation" {
    local asked series=${version%.*}

    [ "$series" = 0.1 ]
    for asked in '' 0 0.1 "$version" "$version EXACT" "$version COMPONENTS fortran"; do
        run -0 finds "$asked"
        [[ "$output" == *"found $version"* ]]
    done
    for asked in 0.0 0.2 0.1.99 1 1.0; do
        run ! finds "$asked"
        [[ "$output" == *"MemphisConfig.cmake, version: $version"* ]]
    done
    mv prefix/include/memphis/memphis.mod .
    run -0 finds 0.1
    run ! finds '0.1 COMPONENTS fortran'
    mv memphis.mod prefix/include/memphis/memphis.mod
    # CMake folds long lines.
    [[ "$(tr -s ' \n' ' ' <<< "$output")" == *"there is no $work/prefix/include/memphis/memphis.mod"* ]]
}

@test "flang builds the Fortran program with the installed source of the module, beside gfortran's module file" {
    local flags
    read -ra flags < <(PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig pkg-config --libs memphis)
    mkdir -p by-flang
    cd by-flang
    flang-new-19 -c ../prefix/share/memphis/memphis_fortran.F90 -o memphis_fortran.o
    flang-new-19 -O2 "$top/examples/languages/timestep.F90" memphis_fortran.o "${flags[@]}" -o timestep
    LD_LIBRARY_PATH=$work/prefix/lib ends_well ./timestep
}

@test "Python: the installed module finds the installed library" {
    export PYTHONPATH=$work/prefix/share/memphis/python
    ends_well python3 "$top/examples/languages/timestep.py"
    run -0 python3 -c 'import memphis; print(memphis.version())'
    [ "$output" = "$version" ]
    PYTHONPATH=$work/root/usr/share/memphis/python run -0 python3 -c 'import memphis; print(memphis.version())'
    [ "$output" = "$version" ]
}

@test "ITT and Kokkos programs, built without Memphis, use the installed library that an environment variable names" {
    local library=$work/prefix/lib/libmemphis.so.0

    make -C "$top/examples/languages" OUT="$work" tasks
    run -0 --separate-stderr env INTEL_LIBITTNOTIFY64="$library" ./tasks
    [ "$output" = inside ]
    [ "$stderr" = "$missing" ]
    run -0 --separate-stderr ./tasks
    [ "$stderr" = "" ]
    gcc -o kokkos_core "$BATS_TEST_DIRNAME/programs/kokkos_core.c"
    run -0 --separate-stderr env KOKKOS_TOOLS_LIBS="$library" ./kokkos_core
    [ "$output" = 'value 20' ]
    [ "$stderr" = "$missing" ]
}

@test "make uninstall removes only Memphis's own directories, for any prefix" {
    local prefix=$work/memphis-site/usr

    mkdir -p "$prefix/share/memphis"
    touch "$prefix/share/memphis/memphis_fortran.F90"
    (cd "$top" && make uninstall prefix="$prefix")
    [ "$(cd memphis-site && find . | sort | tr '\n' ' ')" = '. ./usr ./usr/share ' ]
}

@test "make uninstall removes everything that make install created" {
    # The installation does not create Python's cache files, which would keep their directory from being removed.
    rm -rf prefix/share/memphis/python/__pycache__
    (cd "$top" && make uninstall prefix="$work/prefix")
    run -0 find prefix -not -type d
    [ "$output" = "" ]
    run -0 find prefix -iname '*memphis*'
    [ "$output" = "" ]
}
