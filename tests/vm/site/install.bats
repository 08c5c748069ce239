#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# An administrator's tasks: install library, tool and module, decide who may sample, sign the module, and remove everything. If
# these tests fail, Memphis runs only on its developers' machines.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.."
    export top=$PWD
    export work=$top/build/test/install
    rm -rf "$work"
    mkdir -p "$work/module/signed"
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
    release=$(machine/kernel 6.12 --release)
    export version release

    # Installs as a distribution does.
    make install DESTDIR="$work/root" prefix=/usr libdir=/usr/lib/x86_64-linux-gnu mandir=/usr/share/man

    (cd "$work/module" && openssl req -new -x509 -newkey rsa:2048 -nodes -keyout key.pem -outform DER -out cert.der \
        -days 2 -subj '/CN=Key of a site/' 2> "$work/openssl.log")
    tests/vm/site/install/in-chroot "$(machine/kernel 6.12 --chroot)" "$work/module" \
        /srv/memphis/tests/vm/site/install/module.sh "$release"
    run_guest
}

# Boots once; the tests read the results.
run_guest() {
    local udev program status=0
    udev=$(tests/vm/site/install/udev)
    gcc -O2 -g -pthread -o "$work/module/hotspot" tests/workloads/programs/hotspot.c
    cp packaging/system packaging/site/modprobe.conf tests/vm/site/install/guest.sh "$work/module"
    # udevadm is one binary with several names; the name decides what it does.
    program=$(find "$udev/bin/udevadm" "$udev/usr/bin/udevadm" 2> /dev/null | head -n 1)
    machine/run --kernel 6.12 --timeout 1800 --put "$work/module" \
        --put "$program:/usr/sbin/systemd-udevd" --put "$program:/usr/sbin/udevadm" \
        --put "${program%udevadm}systemd-sysusers:/usr/sbin/systemd-sysusers" \
        --put /usr/sbin/modprobe --put /usr/sbin/depmod \
        --put packaging/site/memphis.rules:/etc/udev/rules.d/60-memphis.rules \
        --put packaging/site/sysusers.conf:/etc/sysusers.d/memphis.conf \
        --put "$work/module/memphis.ko:/lib/modules/$release/updates/memphis.ko" \
        --put "$work/root/usr/bin/memphis:/usr/bin/memphis" \
        --put "$work/root/usr/lib/x86_64-linux-gnu/libmemphis.so.0:/usr/lib/x86_64-linux-gnu/libmemphis.so.0" \
        --get "/root/out:$work/guest" --log "$work/guest.log" -- sh "$work/module/guest.sh" "$work/module" > "$work/guest.txt" 2>&1 || status=$?
    echo "$status" > "$work/guest.status"
}

# tree DIRECTORY: prints kind, mode, path and link target of each file and directory below it.
tree() {
    (cd "$1" && find . -mindepth 1 -printf '%y %m %P %l\n' | sed 's/ $//' | sort -k3)
}

expect() {
    [ "$1" = "$2" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$1" "$2"; return 1; }
}

@test "make install puts each file where a distribution expects it" {
    expect "d 755 usr
d 755 usr/bin
f 755 usr/bin/memphis
f 755 usr/bin/memphis-mpi-reduce.mpich
f 755 usr/bin/memphis-mpi-reduce.openmpi
d 755 usr/include
d 755 usr/include/memphis
f 644 usr/include/memphis.h
f 644 usr/include/memphis.hpp
f 644 usr/include/memphis/device.h
f 644 usr/include/memphis/format.h
f 644 usr/include/memphis/memphis.mod
f 644 usr/include/memphis/sample.h
f 644 usr/include/memphis/version.h
f 644 usr/include/memphis_stub.h
d 755 usr/lib
d 755 usr/lib/x86_64-linux-gnu
d 755 usr/lib/x86_64-linux-gnu/cmake
d 755 usr/lib/x86_64-linux-gnu/cmake/Memphis
f 644 usr/lib/x86_64-linux-gnu/cmake/Memphis/MemphisConfig.cmake
f 644 usr/lib/x86_64-linux-gnu/cmake/Memphis/MemphisConfigVersion.cmake
f 644 usr/lib/x86_64-linux-gnu/libmemphis.a
l 777 usr/lib/x86_64-linux-gnu/libmemphis.so libmemphis.so.0
f 644 usr/lib/x86_64-linux-gnu/libmemphis.so.0
d 755 usr/lib/x86_64-linux-gnu/memphis
f 644 usr/lib/x86_64-linux-gnu/memphis/libmemphis-io.so
f 644 usr/lib/x86_64-linux-gnu/memphis/libmemphis-mpi-mpich.so
f 644 usr/lib/x86_64-linux-gnu/memphis/libmemphis-mpi-openmpi.so
f 755 usr/lib/x86_64-linux-gnu/memphis/memphis-papi
f 755 usr/lib/x86_64-linux-gnu/memphis/memphis-pcp
d 755 usr/lib/x86_64-linux-gnu/pkgconfig
f 644 usr/lib/x86_64-linux-gnu/pkgconfig/memphis.pc
d 755 usr/share
d 755 usr/share/bash-completion
d 755 usr/share/bash-completion/completions
f 644 usr/share/bash-completion/completions/memphis
d 755 usr/share/man
d 755 usr/share/man/man1
f 644 usr/share/man/man1/memphis-compare.1
f 644 usr/share/man/man1/memphis-dump.1
f 644 usr/share/man/man1/memphis-export.1
f 644 usr/share/man/man1/memphis-merge.1
f 644 usr/share/man/man1/memphis-mpi-reduce.1
f 644 usr/share/man/man1/memphis-node.1
f 644 usr/share/man/man1/memphis-place.1
f 644 usr/share/man/man1/memphis-record.1
f 644 usr/share/man/man1/memphis-reduce.1
f 644 usr/share/man/man1/memphis-report.1
f 644 usr/share/man/man1/memphis-top.1
f 644 usr/share/man/man1/memphis.1
d 755 usr/share/man/man3
f 644 usr/share/man/man3/memphis.3
l 777 usr/share/man/man3/memphis_begin.3 memphis.3
l 777 usr/share/man/man3/memphis_begin_region.3 memphis.3
l 777 usr/share/man/man3/memphis_configure.3 memphis.3
l 777 usr/share/man/man3/memphis_end.3 memphis.3
l 777 usr/share/man/man3/memphis_end_region.3 memphis.3
l 777 usr/share/man/man3/memphis_flush.3 memphis.3
l 777 usr/share/man/man3/memphis_is_sampling.3 memphis.3
l 777 usr/share/man/man3/memphis_name.3 memphis.3
l 777 usr/share/man/man3/memphis_pause.3 memphis.3
l 777 usr/share/man/man3/memphis_pool_alloc.3 memphis.3
l 777 usr/share/man/man3/memphis_pool_create.3 memphis.3
l 777 usr/share/man/man3/memphis_pool_destroy.3 memphis.3
l 777 usr/share/man/man3/memphis_pool_free.3 memphis.3
l 777 usr/share/man/man3/memphis_pool_reset.3 memphis.3
l 777 usr/share/man/man3/memphis_region.3 memphis.3
l 777 usr/share/man/man3/memphis_resume.3 memphis.3
l 777 usr/share/man/man3/memphis_script_begin.3 memphis.3
l 777 usr/share/man/man3/memphis_script_end.3 memphis.3
l 777 usr/share/man/man3/memphis_status.3 memphis.3
l 777 usr/share/man/man3/memphis_version.3 memphis.3
d 755 usr/share/man/man5
f 644 usr/share/man/man5/memphis-json.5
f 644 usr/share/man/man5/memphis-perf-data.5
d 755 usr/share/man/man7
f 644 usr/share/man/man7/memphis-interfaces.7
f 644 usr/share/man/man7/memphis-mpi.7
d 755 usr/share/memphis
f 644 usr/share/memphis/memphis_fortran.F90
f 644 usr/share/memphis/memphis_stub.F90
d 755 usr/share/memphis/python
f 644 usr/share/memphis/python/memphis.py
f 644 usr/share/memphis/python/memphis_runs.py
d 755 usr/share/modulefiles
d 755 usr/share/modulefiles/memphis
f 644 usr/share/modulefiles/memphis/$version
d 755 usr/share/zsh
d 755 usr/share/zsh/site-functions
f 644 usr/share/zsh/site-functions/_memphis" "$(tree "$work/root" | grep -v " usr/share/doc\b")"
    run -0 readelf -d "$work/root/usr/lib/x86_64-linux-gnu/libmemphis.so.0"
    [[ "$output" == *"Library soname: [libmemphis.so.0]"* ]]
}

@test "make uninstall removes what make install added, and nothing else" {
    local root=$work/shared own=$work/own
    mkdir -p "$root"/usr/local/{bin,lib/pkgconfig,lib/cmake,include,share/man/man1,share/man/man3,share/man/man5,share/man/man7,share/bash-completion/completions,share/zsh/site-functions,share/doc,share/modulefiles}
    touch "$root"/usr/local/{bin/memphis-of-others,lib/libmemphis.so.1,lib/pkgconfig/zlib.pc,share/man/man1/other.1}
    tree "$root" > "$work/shared.before"
    make install DESTDIR="$root"
    [ -x "$root/usr/local/bin/memphis" ]
    make uninstall DESTDIR="$root"
    expect "$(cat "$work/shared.before")" "$(tree "$root")"

    # A foreign file in a directory of Memphis, and a prefix that nothing else uses.
    make install DESTDIR="$own" prefix=/opt/memphis bindir=/opt/tools/bin
    touch "$own/opt/memphis/include/memphis/of-others.h"
    make uninstall DESTDIR="$own" prefix=/opt/memphis bindir=/opt/tools/bin
    expect "d 755 opt
d 755 opt/memphis
d 755 opt/memphis/include
d 755 opt/memphis/include/memphis
f 644 opt/memphis/include/memphis/of-others.h
d 755 opt/tools
d 755 opt/tools/bin" "$(tree "$own")"
}

@test "a file that can't be written or built is named together with the remedy" {
    touch "$work/file"
    run ! make install prefix="$work/file"
    [[ "$output" == *"memphis: error: cannot write $work/file/bin/memphis (see above)
memphis:   remedy: become root (sudo make ...), or choose other directories: prefix=DIR, DESTDIR=DIR"* ]]
    mkdir -p "$work/empty"
    run ! make install CC="$work/empty/cc" prefix="$work/none"
    [[ "$output" == *"packages: error: missing: $work/empty/cc, <stdio.h>, "* ]]
    expect "memphis: error: no kernel headers at /nonexistent
memphis:   remedy: install them (Debian: linux-headers-amd64), or give KDIR=DIR" "$(grep '^memphis:' "$work/module/no-headers")"
    expect "memphis: error: there is no dkms on this machine
memphis:   remedy: install the package dkms, or build for this kernel only: make install-module" "$(grep '^memphis:' "$work/module/no-dkms")"
}

@test "pkg-config finds what C and Fortran programs need, also below DESTDIR and for the static library" {
    export PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_PATH=$work/root/usr/lib/x86_64-linux-gnu/pkgconfig
    run -0 pkg-config --modversion memphis
    [ "$output" = "$version" ]
    cat > "$work/c.c" <<'TEXT'
#include <memphis.h>
#include <stdio.h>
int main(void)
{
	puts(memphis_version());
	return memphis_begin("loop") == -19 ? 0 : 1;
}
TEXT
    cat > "$work/f.F90" <<'TEXT'
program f
  use memphis
  integer :: status
  call memphis_begin('loop', status)
  print '(i0)', status
end program f
TEXT
    # shellcheck disable=SC2046 # flags
    {
        gcc -Wall -Werror -o "$work/c" "$work/c.c" $(pkg-config --cflags --libs memphis)
        gcc -Wall -Werror -o "$work/static" "$work/c.c" $(pkg-config --cflags memphis) \
            "$work/root/usr/lib/x86_64-linux-gnu/libmemphis.a" -pthread -ldl
        gfortran -Wall -Werror -o "$work/f" "$work/f.F90" $(pkg-config --cflags --libs memphis)
    }
    export LD_LIBRARY_PATH=$work/root/usr/lib/x86_64-linux-gnu MEMPHIS_DEVICE=/nonexistent MEMPHIS_BACKEND=device
    run -0 --separate-stderr "$work/c"
    [ "$output" = "$version" ]
    run -0 --separate-stderr "$work/static"
    [ "$output" = "$version" ]
    run -0 --separate-stderr "$work/f"
    [ "$output" = -19 ]
    # shellcheck disable=SC2154 # bats sets it
    [[ "$stderr" == "memphis: not sampling: /nonexistent: No such file or directory; "* ]]
}

@test "the installed tool finds the installed library without the developers' link" {
    rm "$work/root/usr/lib/x86_64-linux-gnu/libmemphis.so"
    run -0 --separate-stderr env MEMPHIS_DEVICE=/nonexistent "$work/root/usr/bin/memphis" record --keep-going -q -- sh -c 'echo $LD_PRELOAD'
    [ "$output" = "$(realpath "$work/root")/usr/lib/x86_64-linux-gnu/libmemphis.so.0" ]
    ln -s libmemphis.so.0 "$work/root/usr/lib/x86_64-linux-gnu/libmemphis.so"
}

@test "header, tool, library, module, manual and list of changes have the same version" {
    [[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
    [ "$("$work/root/usr/bin/memphis" --version | head -n 1)" = "memphis $version" ]
    [ "$(modinfo -F version "$work/module/memphis.ko")" = "$version" ]
    run -0 sed -n 's/^## \([^ ]*\).*/\1/p;T;q' CHANGELOG.md
    [ "$output" = "$version" ]
    local page
    for page in man/*; do
        run -0 sed -n 's/^\.TH .* "memphis \(.*\)" "Memphis"$/\1/p' "$page"
        [ "$output" = "$version" ]
    done
}

@test "each parameter of the module is in the manual and in the example with its default" {
    local parameter count=0
    while read -r parameter; do
        grep -q "^\.B[R]* $parameter\b" man/memphis.4
        grep -qx "#options memphis $(grep "^$parameter=" "$work/guest/parameters")" packaging/site/modprobe.conf
        grep -q "Default: $(sed -n "s/^$parameter=//p" "$work/guest/parameters")\b" man/memphis.4
        count=$((count + 1))
    done < <(modinfo -F parm "$work/module/memphis.ko" | cut -d: -f1)
    [ "$count" -ge 4 ]
    # Uses all lines of the example at once, two of them with other values.
    expect "audit=N
controllers=
hardware_filters=N
period_min=4096
period_min_cpu=262144
ring_budget_bytes=268435456
stack_budget=2048
threads_max=17" "$(cat "$work/guest/parameters.set")"
}

@test "make install-module puts the module where modprobe looks and installs the policy, and uninstall-module leaves nothing behind" {
    cat "$work/module/install-module" "$work/module/uninstall-module"
    expect "+/etc/modules-load.d/memphis.conf f 644
+/etc/sysusers.d/memphis.conf f 644
+/etc/udev/rules.d/60-memphis.rules f 644
+/usr/lib/modules/$release/updates d 755
+/usr/lib/modules/$release/updates/memphis.ko f 644
+/usr/local/share/doc/memphis d 755
+/usr/local/share/doc/memphis/examples d 755
+/usr/local/share/doc/memphis/examples/modprobe.conf f 644
+/usr/local/share/man/man4/memphis.4 f 644" "$(diff -U0 "$work/module/before" "$work/module/installed" | sed -n 's/ $//; /^[+-]\//p')"
    [ "$(grep -c '^updates/memphis.ko:' "$work/module/modules.dep")" -eq 1 ]
    [ "$(cat "$work/module/group")" = memphis:x:GID: ]
    diff "$work/module/before" "$work/module/after"
    [ ! -s "$work/module/group.after" ]
    [ "$(tail -n 1 "$work/module/uninstall-module")" = 'status 0' ]
}

@test "a group that has members stays when the module is removed, and a message reports it" {
    expect "memphis: the group memphis has members and is kept; groupdel memphis removes it" "$(cat "$work/module/uninstall-members")"
    [ "$(cat "$work/module/group.members")" = memphis:x:GID:nobody ]
}

@test "make sign adds the signature of a site's key to the module, also to the installed one, and explains wrong calls" {
    [ -z "$(modinfo -F signer "$work/module/memphis.ko")" ]
    [ "$(modinfo -F signer "$work/module/signed/memphis.ko")" = 'Key of a site' ]
    [ "$(modinfo -F sig_hashalgo "$work/module/signed/memphis.ko")" = sha256 ]
    expect "memphis: error: no key is given
memphis:   remedy: make sign KEY=MOK.priv CERT=MOK.der (docs/installing.md describes how to create the files)
status 2
memphis: error: cannot read the key /nonexistent/key
memphis:   remedy: give the file with the private key, and run make as a user who can read it
status 2
status 0
memphis: error: memphis.ko is signed already
memphis:   remedy: to sign it with another key, build it again first: make -C kmod clean modules
status 2" "$(grep -v '^make' "$work/module/sign")"
}

@test "a kernel that requires signed modules refuses an unsigned one and one with an unknown key, and logs different reasons" {
    cat "$work/guest/enforced"
    # 129: EKEYREJECTED
    expect "status 129
insmod: can't insert '$work/module/memphis.ko': Key was rejected by service
Loading of unsigned module is rejected
status 129
insmod: can't insert '$work/module/signed/memphis.ko': Key was rejected by service
Loading of module with unavailable key is rejected" "$(uniq "$work/guest/enforced")"
    grep -q 'Loading of unsigned module is rejected' man/memphis.4
    grep -q 'Loading of module with unavailable key is rejected' man/memphis.4
}

@test "DKMS gets a tree that builds with the commands of its dkms.conf, and leaves it clean" {
    cat "$work/module/dkms.make" "$work/module/dkms.clean"
    [ "$(tail -qn 1 "$work/module/dkms.make" "$work/module/dkms.clean" | sort -u)" = 'status 0' ]
    [ "$(modinfo -F version "$work/module/dkms.ko")" = "$version" ]
    [ "$(modinfo -F vermagic "$work/module/dkms.ko" | cut -d' ' -f1)" = "$release" ]
    diff "$work/module/dkms.tree" "$work/module/dkms.cleaned"
    grep -q '^\./LICENSES/GPL-2.0-only.txt f 644$' "$work/module/dkms.tree"
}

@test "udev gives the device to the group memphis, a member records and reports, and another user gets a message with the remedy" {
    cat "$work/guest.txt"
    [ "$(cat "$work/guest.status")" -eq 0 ]
    [ "$(grep '^memphis' "$work/guest/groups")" = memphis:x:GID:user ]
    [ "$(cat "$work/guest/device")" = '660 root memphis character special file' ]
    cat "$work/guest/record" "$work/guest/report"
    [ "$(grep '^status' "$work/guest/record" "$work/guest/report" | cut -d: -f2)" = 'status 0
status 0' ]
    run -0 sed -n '/^NODE: 1/,/^$/p' "$work/guest/report"
    [[ "${lines[1]}" == '000) [heap]:table '* ]]
    [[ "${lines[2]}" == *"hotspot.c:$(grep -n 'LINE: read' tests/workloads/programs/hotspot.c | cut -d: -f1):"* ]]
    expect "memphis: not sampling: /dev/memphis: Permission denied; this user may not sample here; ask the site for access to the device (its owner, group or ACL decides); nor by perf: Permission denied; kernel.perf_event_paranoid is 3: the administrator must set it to 1 (sysctl), or give the program CAP_PERFMON
status 1" "$(cat "$work/guest/refused")"
}

@test "a module in use is not unloaded, and the message has the remedy" {
    expect "memphis: error: the module is in use; nothing was removed
memphis:   remedy: end the sampled programs (fuser -v /dev/memphis lists them), then repeat
status 1" "$(grep -v '^rmmod:' "$work/guest/unload.busy")"
    [ "$(cat "$work/guest/unload")" = 'status 0' ]
    [ "$(grep -c 'No such file or directory' "$work/guest/unloaded")" -eq 2 ]
}

# packed PACKAGE: prints the files of a package, except those that every package has.
packed() {
    dpkg-deb --fsys-tarfile "$work/deb/$1"_*.deb | tar -t | sed -n 's,^\./,/,; /\/$/!p' |
        grep -v -e '/changelog\(\.Debian\)\?\.gz$' -e '/copyright$' | sort
}

@test "make deb makes seven packages that share no file and depend on each other as they need" {
    make deb BUILD="$work"
    expect "libmemphis-dev_${version}_amd64.deb
libmemphis0_${version}_amd64.deb
memphis-counters_${version}_amd64.deb
memphis-dkms_${version}_all.deb
memphis-mpi_${version}_amd64.deb
memphis_$version.dsc
memphis_$version.tar.xz
memphis_${version}_amd64.deb
python3-memphis_${version}_all.deb" "$(cd "$work/deb" && printf '%s\n' *.deb *.dsc *.tar.xz | sort)"
    expect "/usr/bin/memphis
/usr/share/bash-completion/completions/memphis
/usr/share/man/man1/memphis-compare.1.gz
/usr/share/man/man1/memphis-dump.1.gz
/usr/share/man/man1/memphis-export.1.gz
/usr/share/man/man1/memphis-merge.1.gz
/usr/share/man/man1/memphis-node.1.gz
/usr/share/man/man1/memphis-place.1.gz
/usr/share/man/man1/memphis-record.1.gz
/usr/share/man/man1/memphis-reduce.1.gz
/usr/share/man/man1/memphis-report.1.gz
/usr/share/man/man1/memphis-top.1.gz
/usr/share/man/man1/memphis.1.gz
/usr/share/man/man5/memphis-json.5.gz
/usr/share/man/man5/memphis-perf-data.5.gz
/usr/share/zsh/vendor-completions/_memphis" "$(packed memphis | grep -v '^/usr/share/doc/memphis/')"
    packed memphis | grep -Fx /usr/share/doc/memphis/docs/installing.md
    [ "$(packed memphis | grep '^/usr/share/doc/memphis/.*\.gz$')" = '' ]
    expect "/usr/lib/x86_64-linux-gnu/libmemphis.so.0
/usr/lib/x86_64-linux-gnu/memphis/libmemphis-io.so" "$(packed libmemphis0)"
    expect "/usr/lib/x86_64-linux-gnu/memphis/memphis-papi
/usr/lib/x86_64-linux-gnu/memphis/memphis-pcp" "$(packed memphis-counters)"
    expect "/usr/bin/memphis-mpi-reduce.mpich
/usr/bin/memphis-mpi-reduce.openmpi
/usr/lib/x86_64-linux-gnu/memphis/libmemphis-mpi-mpich.so
/usr/lib/x86_64-linux-gnu/memphis/libmemphis-mpi-openmpi.so
/usr/share/man/man1/memphis-mpi-reduce.1.gz
/usr/share/man/man7/memphis-mpi.7.gz" "$(packed memphis-mpi)"
    expect "/usr/include/memphis.h
/usr/include/memphis.hpp
/usr/include/memphis/device.h
/usr/include/memphis/format.h
/usr/include/memphis/sample.h
/usr/include/memphis/version.h
/usr/include/memphis_stub.h
/usr/lib/x86_64-linux-gnu/cmake/Memphis/MemphisConfig.cmake
/usr/lib/x86_64-linux-gnu/cmake/Memphis/MemphisConfigVersion.cmake
/usr/lib/x86_64-linux-gnu/fortran/gfortran-mod-15/memphis.mod
/usr/lib/x86_64-linux-gnu/libmemphis.a
/usr/lib/x86_64-linux-gnu/libmemphis.so
/usr/lib/x86_64-linux-gnu/pkgconfig/memphis.pc
/usr/share/man/man3/memphis.3.gz
/usr/share/man/man3/memphis_begin.3.gz
/usr/share/man/man3/memphis_begin_region.3.gz
/usr/share/man/man3/memphis_configure.3.gz
/usr/share/man/man3/memphis_end.3.gz
/usr/share/man/man3/memphis_end_region.3.gz
/usr/share/man/man3/memphis_flush.3.gz
/usr/share/man/man3/memphis_is_sampling.3.gz
/usr/share/man/man3/memphis_name.3.gz
/usr/share/man/man3/memphis_pause.3.gz
/usr/share/man/man3/memphis_pool_alloc.3.gz
/usr/share/man/man3/memphis_pool_create.3.gz
/usr/share/man/man3/memphis_pool_destroy.3.gz
/usr/share/man/man3/memphis_pool_free.3.gz
/usr/share/man/man3/memphis_pool_reset.3.gz
/usr/share/man/man3/memphis_region.3.gz
/usr/share/man/man3/memphis_resume.3.gz
/usr/share/man/man3/memphis_script_begin.3.gz
/usr/share/man/man3/memphis_script_end.3.gz
/usr/share/man/man3/memphis_status.3.gz
/usr/share/man/man3/memphis_version.3.gz
/usr/share/man/man7/memphis-interfaces.7.gz
/usr/share/memphis/memphis_fortran.F90
/usr/share/memphis/memphis_stub.F90" "$(packed libmemphis-dev)"
    expect "/usr/lib/python3/dist-packages/memphis.py
/usr/lib/python3/dist-packages/memphis_runs.py" "$(packed python3-memphis)"
    # The source of the module must be the same as what `make install-dkms` installs.
    expect "/usr/lib/modules-load.d/memphis.conf
/usr/lib/sysusers.d/memphis.conf
/usr/lib/udev/rules.d/60-memphis.rules
/usr/share/doc/memphis-dkms/examples/modprobe.conf
/usr/share/doc/memphis-dkms/installing.md.gz
/usr/share/man/man4/memphis.4.gz
$(sed -n "s,^\\./\\(.*\\) f 644$,/usr/src/memphis-$version/\\1,p" "$work/module/dkms.tree")" "$(packed memphis-dkms)"
    [[ "$(dpkg-deb -f "$work/deb/memphis_${version}_amd64.deb" Depends)" == "libmemphis0 (= $version), "*libdw1* ]]
    # The library depends on no library of the tool.
    [[ "$(dpkg-deb -f "$work/deb/libmemphis0_${version}_amd64.deb" Depends)" != *@(pcp|papi)* ]]
    [[ "$(dpkg-deb -f "$work/deb/memphis-counters_${version}_amd64.deb" Depends)" == "libmemphis0 (= $version), "*libpapi*libpcp* ]]
    # The program brings its MPI library.
    [[ "$(dpkg-deb -f "$work/deb/memphis-mpi_${version}_amd64.deb" Depends)" == "libmemphis0 (= $version), "* ]]
    [[ "$(dpkg-deb -f "$work/deb/memphis-mpi_${version}_amd64.deb" Depends)" != *@(mpich|openmpi)* ]]
    [ "$(dpkg-deb -f "$work/deb/libmemphis-dev_${version}_amd64.deb" Depends)" = "libmemphis0 (= $version)" ]
    [[ "$(dpkg-deb -f "$work/deb/memphis-dkms_${version}_all.deb" Depends)" == *"dkms ("*systemd-sysusers* ]]
    # The source package contains no build products.
    run -0 tar -tf "$work/deb/memphis_$version.tar.xz"
    [[ "$output" == *"memphis-$version/debian/control"* ]]
    [[ "$output" != *".o
"* && "$output" != *"/build/"* && "$output" != *"/.git/"* ]]
}
