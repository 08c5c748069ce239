#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The lines of instructions that are not lines of the program: in library code that was inlined, and where the compiler wrote no line. If these tests
# fail, a report shows lines of the standard library, which nobody can change, or none.

# shellcheck disable=SC2154 # variables of helper.bash
bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file()
{
	build_tools
	cd -P "$BATS_FILE_TMPDIR" || exit
	cat > total.cpp <<'C'
#include <numeric>
__attribute__((noinline)) double total(const double *first, long count)
{
	return std::accumulate(first, first + count, 0.0);
}
double values[1024];
int main(int argc, char **)
{
	return total(values, argc) > 0;
}
C
	g++ -g -O1 -no-pie total.cpp -o total
	samples library <<TEXT
process 100
object p $PWD/total 0
maps 100
end
thread 100
repeat 3 8 sample 2000 $(place total stl_numeric.h) p!values dram LR 0 1
books 3 3 0
end
TEXT
	cat > work.c <<'C'
int work(const int *values)
{
	int sum = values[0];
	sum += values[1];
	return sum * values[2];
}
int values[1024];
int main(void)
{
	return work(values);
}
C
	clang -g -O0 -S -o work.s work.c
	sed -E 's/^(\t\.loc\t[0-9]+) 4 /\1 0 /' work.s > merged.s
	clang -no-pie -o work merged.s
	local lines
	lines=$(objdump -d --no-show-raw-insn --disassemble=work work | sed -nE 's/^ +([0-9a-f]+):.*/sample 2000 0x\1 p!values dram LR 0 1/p')
	samples nowhere <<TEXT
process 100
object p $PWD/work 0
maps 100
end
thread 100
$lines
books $(wc -l <<< "$lines") $(wc -l <<< "$lines") 0
end
TEXT
}

setup()
{
	cd -P "$BATS_FILE_TMPDIR" || exit
}

# place PROGRAM FILE: prints the address of the first instruction of a line of FILE.
place()
{
	objdump -d -l --no-show-raw-insn "$1" | awk -v at="$2" '
		index($0, at ":") { found = 1; next } found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }'
}

@test "code of the standard library that was inlined has the line of the program, via the library's function" {
	expect '    total.cpp:4 via std::accumulate 3' "$(paper library | grep total.cpp | sed -E 's/:0x[0-9a-f]+//; s/ \[ .* \]//')"
	expect '["total.cpp",4,"total(double const*, long)",[],"stl_numeric.h"]' "$("$memphis" report --format json library | jq -c '.nodes[0].variables[0].instructions[0] |
		[.file, .line, .function, .inlined, (.library[-1].path | split("/")[-1])]')"
	expect 'true' "$("$memphis" report --format json library | jq '.nodes[0].variables[0].instructions[0].via | contains("std::accumulate<")')"
	expect '    total.cpp:4 3' "$(paper --by line library | grep total.cpp | sed -E 's/ \[ .* \]//')"
	expect '    total(double const*, long) total.cpp 3' "$(paper --by function library | grep total.cpp | sed -E 's/ \[ .* \]//')"
}

@test "by callers, the calls that were inlined stand below the library's function" {
	expect '  3 std::accumulate
  3 total.cpp:4 (total(double const*, long))' "$("$memphis" report --by callers library |
		sed -nE 's/^ +([0-9]+) +(100.0 %)? +(.*)/  \1 \3/p' | sed -E 's/  +0x.*//; s/double (std::accumulate)<[^(]*\([^)]*\)/\1/' | grep -E 'accumulate|total.cpp')"
}

@test "SQLite has the line of the program" {
	"$memphis" export --format sqlite -o lines.sqlite library
	expect '4|total(double const*, long)|3' "$(sqlite3 lines.sqlite "SELECT line, function, count FROM by_line WHERE path LIKE '%total.cpp'")"
}

@test "an instruction without a line has that of the nearest code of its function, marked" {
	expect '[[3,false],[3,true],[5,false],[5,true]]' "$("$memphis" report --format json --instructions 0 nowhere | jq -c '[.nodes[].variables[].instructions[] | select(.line > 2) |
		[.line, .approximate]] | unique')"
	[[ "$("$memphis" report --instructions 0 nowhere)" = *'work.c:3~ (work)'* ]]
}
