#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# EasyBuild installs the archive as a module, with its own style check before and its sanity checks after it. If these tests fail, sites that install
# by EasyBuild have no Memphis. EasyBuild comes from pip into a virtual environment.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
    export version
    make -s lib tool
    cd -P "$BATS_FILE_TMPDIR" || exit
    /usr/bin/python3 -m venv eb
    eb/bin/pip install -q easybuild-framework easybuild-easyblocks pycodestyle
    ln -sf python3 eb/bin/python
    make -s -C "$top" dist BUILD="$PWD"
}

setup() {
    cd -P "$BATS_FILE_TMPDIR" || exit
    # shellcheck disable=SC1091 # of the package environment-modules
    . /usr/share/modules/init/bash
    export PATH=$PWD/eb/bin:$PATH HOME=$PWD
}

easybuild() {
    eb --allow-use-as-root-and-accept-consequences --modules-tool=EnvironmentModules --module-syntax=Tcl "$@" < /dev/null 3>&-
}

@test "the style check of EasyBuild passes" {
    run -0 easybuild --check-style "$top/packaging/easybuild/Memphis-$version.eb"
    [[ "$output" == *"[PASS] $top/packaging/easybuild/Memphis-$version.eb"* ]]
}

@test "EasyBuild installs the archive, and its module makes the tool work" {
    # The parts are built already, without the wrappers that add paths.
    sed -E "s,^(build|install)opts = ',&MAKE=true PACKAGES=true BUILD=$top/build ," "$top/packaging/easybuild/Memphis-$version.eb" > "Memphis-$version.eb"
    run -0 easybuild --disable-rpath --sourcepath="$PWD/dist" --prefix="$PWD/installed" "./Memphis-$version.eb"
    module use installed/modules/all
    module load "Memphis/$version"
    [ "$(type -P memphis)" = "$PWD/installed/software/Memphis/$version/bin/memphis" ]
    [ "$(python3 -c 'import memphis; print(memphis.version())')" = "$version" ]
}
