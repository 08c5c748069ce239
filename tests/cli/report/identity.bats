#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Different variables of one name: each has a row of its own, and what tells them apart stands beside the name, in all outputs. If these tests fail,
# the samples of several variables are in one row, and their findings vanish.

# shellcheck disable=SC2154 # variables of helper.bash
bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file()
{
	build_tools
	cd -P "$BATS_FILE_TMPDIR" || exit
	mkdir -p a b
	cat > table.h <<'C'
static double table[1024];
C
	cat > main.c <<'C'
#include "table.h"
static double grid[1024];
double *other_grid(int at);
int main(void)
{
	static double seen[1024];
	{ static double part[1024]; part[1] = 1; seen[0] = part[2]; }
	{ static double part[1024]; part[1] = 2; seen[1] = part[2]; }
	return (int)(seen[2] + grid[1] + table[3] + other_grid(1)[2]);
}
C
	cat > a/other.c <<'C'
#include "table.h"
static double grid[1024];
double *other_grid(int at)
{
	grid[at] = table[at];
	return grid;
}
C
	sed s/other_grid/more_grid/ a/other.c > b/other.c
	cat > lib.c <<'C'
static double buffer[1024];
double *NAME(void)
{
	buffer[1] = 1;
	return buffer;
}
C
	gcc -g -O0 -no-pie -iquote "$PWD" main.c a/other.c b/other.c -o program
	gcc -g -O0 -shared -fPIC -DNAME=one lib.c -o libone.so
	gcc -g -O0 -shared -fPIC -DNAME=two lib.c -o libtwo.so
	cat > main.cpp <<'C'
namespace { double hidden[1024]; }
template <typename T> T tvar[1024];
struct Outer { static double tab[1024]; struct Inner { static double tab[1024]; }; };
double Outer::tab[1024], Outer::Inner::tab[1024];
__attribute__((noinline)) double *local(int) { static double buf[1024]; return buf; }
__attribute__((noinline)) double *local(double) { static double buf[1024]; return buf; }
struct A { static double *get() { static double inner[1024]; return inner; } };
struct B { static double *get() { static double inner[1024]; return inner; } };
double *other();
static double counted(int k) { static double counter[1024]; return counter[k]++; }
int main(int argc, char **)
{
	auto first = [](int i) { static double lamstat[1024]; return lamstat[i]++; };
	auto second = [](int i) { static double lamstat[1024]; return lamstat[i]++; };
	return (int)(hidden[argc]++ + tvar<float>[argc]++ + tvar<double>[argc]++ + Outer::tab[argc] + Outer::Inner::tab[argc] + *local(1) + *local(1.0) +
		*A::get() + *B::get() + *other() + first(argc) + second(argc) + counted(argc));
}
C
	cat > other.cpp <<'C'
namespace { double hidden[1024]; }
double *other() { return hidden; }
C
}

setup()
{
	cd -P "$BATS_FILE_TMPDIR" || exit
}

# statics PROGRAM: prints the addresses of its static arrays, in their order.
statics()
{
	nm -n -S "$1" | awk '$3 ~ /^[bBuV]$/ && $2 "" >= "0000000000001000" { print "0x" $1 }'
}

# run_of DIRECTORY PROGRAM [LIBRARY...]: writes samples in all static arrays of the objects, one in the first, two in the second, and so on.
run_of()
{
	local directory=$1 count=0 base=0 text='' object address
	shift

	{
		echo "process 100"
		for object; do
			printf 'object %s %s 0x%x\n' "${object//[.\/]/_}" "$PWD/$object" $((base))
			for address in $(statics "$object"); do
				count=$((count + 1))
				text+=$(printf 'repeat %d 8 sample 2000 0x1000 0x%x dram LR 0 1' "$count" $((base + address + 8)))$'\n'
			done
			base=$((base + 0x7f0000000000))
		done
		echo "maps 100
end
thread 100
${text}books $((count * (count + 1) / 2)) $((count * (count + 1) / 2)) 0
end"
	} | samples "$directory"
}

# rows DIRECTORY...: prints the names of the report's rows.
rows()
{
	paper --top 0 "$@" | sed -nE 's/^[0-9]+\) (.*) \[ 0x.*/\1/p' | sort
}

# shown DIRECTORY: prints names, shown names, and where the variables are declared.
shown()
{
	"$memphis" report --format json "$1" | jq -r '.nodes[].variables[] | "\(.name) | \(.shown) | \(.declared) | \(.unit) | \(.object)"' |
		sed "s:$PWD/::g; s:(${PWD##*/}/:(work/:" | sort
}

@test "static variables of units: the file stands beside the name, with its folder or the line where the file is the same" {
	run_of units program
	expect 'grid | grid (a/other.c) | a/other.c:2 | null | program
grid | grid (b/other.c) | b/other.c:2 | null | program
grid | grid (work/main.c) | main.c:2 | null | program
main::part | main::part (main.c:7) | main.c:7 | null | program
main::part | main::part (main.c:8) | main.c:8 | null | program
main::seen | main::seen | main.c:6 | null | program
table | table (a/other.c) | table.h:1 | a/other.c | program
table | table (b/other.c) | table.h:1 | b/other.c | program
table | table (work/main.c) | table.h:1 | main.c | program' "$(shown units)"
	expect '[bss]:grid (a/other.c)
[bss]:grid (b/other.c)
[bss]:grid (work/main.c)' "$("$memphis" top --once --interval 0.1 units | sed -n 's/^.*%  \(\[bss\]:grid\)/\1/p' | sed "s:(${PWD##*/}/:(work/:" | sort)"
}

@test "static variables of two libraries from one source: the library stands beside the name" {
	run_of libraries program libone.so libtwo.so
	expect 'buffer | buffer (libone.so) | lib.c:1 | null | libone.so
buffer | buffer (libtwo.so) | lib.c:1 | null | libtwo.so' "$(shown libraries | grep ^buffer)"
}

@test "without debug information, the symbol table has the file" {
	gcc -no-pie -iquote "$PWD" main.c a/other.c -o bare
	run_of bare-units bare
	expect 'grid | grid (main.c) | main.c | null | bare
grid | grid (other.c) | other.c | null | bare' "$(shown bare-units | grep ^grid)"
}

@test "C++: names have whole scopes, and overloads their parameters" {
	local compiler flags
	for compiler in g++ clang++; do
		for flags in -O0 -O2; do
			"$compiler" -std=c++17 -g "$flags" -fno-inline -no-pie main.cpp other.cpp -o "main$compiler$flags"
			run_of cpp "main$compiler$flags"
			expect '[bss]:(anonymous namespace)::hidden (main.cpp)
[bss]:(anonymous namespace)::hidden (other.cpp)
[bss]:A::get::inner
[bss]:B::get::inner
[bss]:Outer::Inner::tab
[bss]:Outer::tab
[bss]:counted::counter
[bss]:local(double)::buf
[bss]:local(int)::buf
[bss]:main::{lambda(int)#1}::lamstat
[bss]:main::{lambda(int)#2}::lamstat
[bss]:tvar<double>
[bss]:tvar<float>' "$(rows cpp | sed -E 's/lambda#/lambda(int)#/')"
		done
	done
}

@test "all outputs have the shown names: text, CSV, SQLite, pprof, a profile as a file, its merge" {
	run_of libraries program libone.so libtwo.so
	expect 'buffer (libone.so)
buffer (libtwo.so)' "$("$memphis" report libraries --top 0 | sed -nE 's/^ *[0-9]+ .*\[bss\]:(buffer \(.*\)) .*/\1/p' | sed 's/ *0x.*//' | sort -u)"
	"$memphis" export --format csv -o all.csv libraries
	expect 'buffer (libone.so)
buffer (libtwo.so)' "$(python3 -c '
import csv
print(*sorted({row["shown"] for row in csv.DictReader(open("all.csv")) if row["variable"] == "buffer"}), sep="\n")')"
	"$memphis" export --format sqlite -o all.sqlite libraries
	expect 'buffer (libone.so)
buffer (libtwo.so)' "$(sqlite3 all.sqlite "SELECT variable FROM by_variable WHERE variable LIKE 'buffer%' ORDER BY 1")"
	"$memphis" reduce -o one.mprof libraries
	expect "$(shown libraries)" "$(shown one.mprof)"
}

@test "compare has a row for each variable, also if only one side has samples in two of a name" {
	run_of both program libone.so libtwo.so
	run_of single program libone.so
	expect '[bss]:buffer (libone.so)
[bss]:buffer (libtwo.so)' "$("$memphis" compare --top 0 both single | sed -nE 's/^[0-9]+\) (\[bss\]:buffer \([a-z.]*\)) .*/\1/p' | sort)"
	expect '["buffer (libone.so) 10 10","buffer (libtwo.so) 11 0"]' "$("$memphis" compare --format json both single |
		jq -c '[.nodes[].variables[] | select(.name == "buffer") | "\(.shown) \(.counts[0]) \(.counts[1])"] | sort')"
}
