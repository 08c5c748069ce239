# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # $root and $memphis are of helper.bash
# Programs that run on this machine, whose accesses libnative.so writes down, and the reports on them.
load ../cli/helper

# begin: begins setup_file. Sets $work, $bin and the arrays of flags: cflags, link (with libmemphis) and plain.
begin()
{
	build_tools || return
	make -s -C "$root/libsampler" BUILD="$root/build" || return
	make -s -C "$root/tests/native" BUILD="$root/build" || return
	work=$root/build/test/native-$(basename "$BATS_TEST_FILENAME" .bats)
	bin=$work/bin
	export work bin
	rm -rf "$work"
	mkdir -p "$bin"
	flags_of
}

flags_of()
{
	cflags=(-g -Wall -Wextra -Werror -pthread -I"$root/include" -I"$root/build/include" -I"$root/tests/native" -I"$root/tests/workloads/common")
	link=(-L"$root/build/native" -L"$root/build/lib" -Wl,--no-as-needed -lworkload -lnative -lmemphis -Wl,--as-needed
		-Wl,-rpath,"$root/build/native:$root/build/lib")
	# Of programs that know nothing of Memphis, and that `memphis record` starts.
	plain=(-L"$root/build/native" -lnative -Wl,-rpath,"$root/build/native")
}

# again: begins setup().
again()
{
	flags_of
	cd "$root" || exit
}

# build PROGRAM SOURCE [OPTION|FILE...]: compiles a program to $bin by the suffix of its source.
build()
{
	local program=$bin/$1 source=$2 modules=()
	shift 2

	case $source in
	*.c) gcc "${cflags[@]}" -o "$program" "$source" "$@" "${link[@]}" ;;
	*.cpp | *.cc) g++ -std=c++17 "${cflags[@]}" -o "$program" "$source" "$@" "${link[@]}" ;;
	*.F90)
		mkdir -p "$program.modules"
		! grep -q '^ *use workload' "$source" || modules+=("$root/tests/workloads/common/workload.F90")
		! grep -q '^ *use native' "$source" || modules+=("$root/tests/native/native.F90")
		gfortran -g -J "$program.modules" "${cflags[@]}" -o "$program" "${modules[@]}" "$source" "$@" "${link[@]}" ;;
	*.rs) rustc -g -C opt-level=0 -o "$program" "$source" -L "$root/build/native" -l native -C "link-arg=-Wl,-rpath,$root/build/native" ;;
	*) echo "$source: no such language"; return 1 ;;
	esac
}

# place_of PROGRAM: prints the path of a program of $bin, or of the system.
place_of()
{
	if [ -x "$bin/$1" ]; then echo "$bin/$1"; else command -v "$1"; fi
}

# sampled RUN PROGRAM [ARGUMENT...]: runs the program without sampling, and adds its accesses to its files: $work/out/RUN, with what it prints in
# RUN.out, and samples by name in RUN.made. Sampling is on while calipers are open.
sampled()
{
	local run=$work/out/$1 program=$2
	shift 2

	mkdir -p "$work/out"
	rm -rf "$run" "$run".*
	MEMPHIS_BACKEND=none MEMPHIS_SPANS=8 MEMPHIS_OUTPUT=$run NATIVE_ACCESSES=$run.accesses OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive \
		timeout 600 "$(place_of "$program")" "$@" > "$run.out" 2> "$run.err" || { cat "$run.err"; return 1; }
	[ ! -s "$run.err" ] || { cat "$run.err"; return 1; }
	made "$run"
}

# recorded RUN PROGRAM [ARGUMENT...]: the same by memphis record, from start to end.
recorded()
{
	local run=$work/out/$1 program=$2
	shift 2

	mkdir -p "$work/out"
	rm -rf "$run" "$run".*
	NATIVE_ACCESSES=$run.accesses OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive \
		timeout 600 "$memphis" record -q --backend none --spans 8 -o "$run" -- "$(place_of "$program")" "$@" > "$run.out" 2> "$run.err" || { cat "$run.err"; return 1; }
	[ ! -s "$run.err" ] || { cat "$run.err"; return 1; }
	made "$run"
}

made()
{
	python3 "$root/tests/native/make.py" "$root/build/cli/make_samples" "$1" "$1.accesses" "${settings[@]}" > "$1.made"
}

# report RUN [OPTION...]: makes the report of all samples as RUN.json.
report()
{
	local run=$work/out/$1
	shift

	"$memphis" report --select all --top 0 --format json -o "$run.json" "$@" "$run"
}

# agrees RUN SOURCE[,SOURCE...] [ROW...]: compares the report with what the source states, see check.py.
agrees()
{
	local run=$work/out/$1
	shift

	report "${run##*/}"
	python3 "$root/tests/native/check.py" "$run.json" "$run.made" "$@"
}
