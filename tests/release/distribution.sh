# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs in a minimal system: installs what the build names and the compilers, builds with each, records and reports, builds the kernel module.
# usage: bash distribution.sh SUITE KERNEL-HEADERS all|default      logs go to /srv/out
set -uo pipefail
export DEBIAN_FRONTEND=noninteractive
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
	make -j"$(nproc)" lib tool BUILD=/tmp/build CC="$compiler" FC="$fortran" "$@" && uses /tmp/build
}

suite=$1
headers=$2
# What the build prints for a newcomer must be what apt-get accepts.
apt-get -qq update && apt-get -qq install --no-install-recommends make gcc libc6-dev > /srv/out/apt.log 2>&1 || exit
tell "packages that the build asks for" packaging/packages --install build || exit
tell "gcc $(version gcc), gfortran $(version gfortran), glibc $(version ldd), make $(version make)" builds gcc gfortran
tell "gcc $(version gcc), flags of distributions" builds gcc gfortran CFLAGS='-O2 -g -flto=auto -fstack-protector-strong -D_FORTIFY_SOURCE=3'
if apt-get -qq install --no-install-recommends "$headers" >> /srv/out/apt.log 2>&1; then
	kernel=$(find /lib/modules -maxdepth 2 -name build -printf '%h\n' | sed 's,.*/,,' | sort -V | tail -n 1)
	tell "memphis.ko for $kernel" make -C kmod modules KDIR="/lib/modules/$kernel/build"
fi
if [ "$3" = all ]; then
	for number in 9 10 11 12 13 14 15 16; do
		gfortran=gfortran-$number
		if [ "$number" = "$(gcc -dumpversion)" ] || ! apt-cache show "gcc-$number" > /dev/null 2>&1; then
			continue
		fi
		apt-get -qq install --no-install-recommends "gcc-$number" "$gfortran" >> /srv/out/apt.log 2>&1 || continue
		tell "gcc $(version "gcc-$number")" builds "gcc-$number" "$gfortran"
	done
	for clang in $(apt-cache search --names-only '^clang-[0-9]+$' | cut -d ' ' -f 1 | sort -V); do
		apt-get -qq install --no-install-recommends "$clang" >> /srv/out/apt.log 2>&1 || continue
		tell "clang $(version "$clang")" builds "$clang" gfortran
	done
fi
