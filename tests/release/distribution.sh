# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs in a minimal system: installs what the build names and the compilers, builds with each, records and reports, builds the kernel module.
# usage: bash distribution.sh SUITE KERNEL-HEADERS|none all|PART,...      logs go to /srv/out, which has the source archive
set -uo pipefail
# Open MPI's compiler needs a home directory.
export DEBIAN_FRONTEND=noninteractive HOME=/root
cd /srv/memphis || exit

# tell WHAT COMMAND...: runs the command, prints whether it succeeded, and keeps its output.
tell()
{
	local what=$1 log=/srv/out/${1//[ \/]/-}.log
	shift

	if "$@" > "$log" 2>&1; then
		printf 'ok - %s: %s\n' "$suite" "$what"
	else
		printf 'not ok - %s: %s\n' "$suite" "$what"
		tail -n 5 "$log" | sed 's/^/# /'
		return 1
	fi
}

# version COMMAND: prints the version of a compiler, or of another command.
version()
{
	case $1 in
	gcc* | gfortran*) "$1" -dumpfullversion ;;
	clang*) "$1" -dumpversion ;;
	*) "$1" --version | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p' ;;
	esac
}

# direct LIBRARY: succeeds if the library does not call the C library's functions in place of stat(), which are those of headers before glibc 2.33.
direct()
{
	! nm -D --undefined-only "$1" | grep -E '__[lf]?xstat'
}

# uses BUILD: records and reports with what was built.
uses()
{
	local tool=$1/bin/memphis

	"$tool" --version && rm -rf /tmp/run && "$tool" record -q --backend none -o /tmp/run -- ls /usr/bin && "$tool" report /tmp/run
}

# builds CC FC FLAGS...: builds with these, and uses the result.
builds()
{
	local compiler=$1 fortran=$2
	shift 2

	rm -rf /tmp/build
	make -j"$(nproc)" lib tool BUILD=/tmp/build CC="$compiler" FC="$fortran" "$@" && direct /tmp/build/lib/libmemphis.so.0 && uses /tmp/build
}

# makes_rpms: rpmbuild makes the packages of the source archive, with the flags of Fedora; what is installed from them is used.
makes_rpms()
{
	local tree root=/tmp/root flags='-O2 -g -flto=auto -ffat-lto-objects -fexceptions -Wall -Werror=format-security -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=3
-Wp,-D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fasynchronous-unwind-tables -fstack-clash-protection -fcf-protection -fno-omit-frame-pointer'

	tar -C /tmp -xf /srv/out/memphis-*.tar.gz && tree=$(echo /tmp/memphis-*) || return
	# Debian's rpm knows no installed packages and extracts no debug information, and its MPI has other paths.
	make -C "$tree" rpm RPM="--nodeps --define 'debug_package %{nil}' --define 'mpicc_mpich mpicc.mpich' --define 'mpicc_openmpi mpicc.openmpi' --define 'optflags ${flags//$'\n'/ }'" &&
		rpm --root "$root" --nodeps --noscripts -i "$tree"/build/rpm/RPMS/*/*.rpm && uses "$root/usr"
}

suite=$1
headers=$2
wanted=,$3,

# wants PART: succeeds if the part was asked for.
wants()
{
	[[ $wanted == *,all,* || $wanted == *",$1,"* ]]
}

# adds PACKAGE...: installs packages, or fails if the system has none of this name.
adds()
{
	apt-get -qq install --no-install-recommends "$@" >> /srv/out/apt.log 2>&1
}

# Ubuntu has some of the packages in another part of its archive.
! grep -q ^ID=ubuntu /etc/os-release || sed -i 's/ main$/ main universe/' /etc/apt/sources.list
# The lists of unstable expire after some days, and a mirror may be older than that.
echo 'Acquire::Check-Valid-Until "false";' > /etc/apt/apt.conf.d/old-mirror
# What the build prints for a newcomer must be what apt-get accepts.
apt-get -qq update && adds make gcc libc6-dev || exit
tell "packages that the build asks for" packaging/packages --install build || exit
if wants default; then
	tell "gcc $(version gcc), gfortran $(version gfortran), glibc $(version ldd), make $(version make)" builds gcc gfortran
fi
# The layers for MPI are built by the compiler of mpicc, whatever CC is, and below by rpmbuild.
without=(WITH_MPICH=no WITH_OPENMPI=no)
if wants flags; then
	# Ubuntu's gcc defines the level of fortification itself; what gcc 14 makes an error is one with older compilers, too.
	tell "gcc $(version gcc), flags of distributions" builds gcc gfortran "${without[@]}" \
		CFLAGS='-O2 -g -flto=auto -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror=incompatible-pointer-types'
fi
if [ "$headers" != none ] && wants module && adds "$headers"; then
	kernel=$(find /lib/modules -maxdepth 2 -name build -printf '%h\n' | sed 's,.*/,,' | sort -V | tail -n 1)
	tell "memphis.ko for $kernel" make -C kmod modules KDIR="/lib/modules/$kernel/build"
fi
for compiler in $(apt-cache search --names-only '^(gcc|clang)-[0-9.]+$' | cut -d ' ' -f 1 | sort -V); do
	number=${compiler#*-} fortran=()
	if [ "$compiler" = "gcc-$(gcc -dumpversion)" ] || [ "${number%.*}" -lt 7 ] || ! wants "$compiler"; then
		continue
	fi
	[ "$compiler" = "clang-$number" ] || fortran=("gfortran-$number")
	adds "$compiler" "${fortran[@]}" || continue
	tell "${compiler%-*} $(version "$compiler")" builds "$compiler" "${fortran[0]:-gfortran}" "${without[@]}"
done
if wants rpmbuild && adds rpm file libslurm-dev python3; then
	tell "packages by rpmbuild, rpm $(rpm --version | sed 's/.* //')" makes_rpms
fi
