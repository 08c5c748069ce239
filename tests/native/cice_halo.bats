#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The case study with samples at accesses that it really makes: which arrays, lines and findings the reports on its variants have. If these tests
# fail, Memphis does not find the defects that it is made for. How often each array is sampled is for the machine (tests/vm/demo.bats).

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
	local variant modules

	modules=$(make -s -C "$root/examples/cice_halo" -f - list <<< $'include Makefile\nlist:\n\t@echo $(MODULES)')
	gcc "${cflags[@]}" -O1 -fopenmp -c -o "$work/watch.o" "$root/tests/native/programs/cice_halo.c"
	(
		cd "$root/examples/cice_halo" || exit
		mkdir "$work/modules"
		# shellcheck disable=SC2046,SC2086 # words
		gfortran -O3 -g -fopenmp -std=f2008 -J "$work/modules" -I "$root/build/include" -o "$bin/cice_halo" $(printf '%s.F90\n' $modules) "$work/watch.o" \
			-Wl,--wrap=__ice_check_MOD_ice_check_addresses "${link[@]}"
	)
	for variant in base mod1 mod2; do
		sampled "$variant" cice_halo --variant "$variant" --steps 2 --addresses --verify
		"$memphis" report --format json --binaries "$bin" -o "$work/$variant.json" "$work/out/$variant"
	done
}

setup()
{
	again
}

# copy_line [N]: prints the Nth place where the halo copy reads a point of a source block; the first one is that of base.
copy_line()
{
	grep -n 'array(iSrc, jSrc, k, l, srcBlock)' "$root/examples/cice_halo/ice_boundary.F90" | cut -d : -f 1 | sed -n "${1:-1}p"
}

@test "in base, the master on node 0 waits for tx, ty, tc and trcrn, each at the line of the copy loop" {
	expect "heap tc $(copy_line)
heap tx $(copy_line)
heap ty $(copy_line)
bss ice_state::trcrn $(copy_line)" "$(jq -r '.nodes[] | select(.node == 0) | .variables[:4] | sort_by(.name == "ice_state::trcrn", .name)[] |
		"\(.segment) \(.name) \([.instructions[] | select(.file == "ice_boundary.F90") | .line][0])"' "$work/base.json")"
}

@test "mod1 distributes the waiting, and neither node has more than two thirds of it" {
	expect true "$(jq '([.nodes[].total] | max) * 3 <= ([.nodes[].total] | add) * 2' "$work/mod1.json")"
}

@test "mod2 has at most half of base's remote samples, and the local copy leads on no node" {
	expect true "$(jq -s '([.[0].nodes[].total] | add) >= 2 * ([.[1].nodes[].total] | add)' "$work/base.json" "$work/mod2.json")"
	expect '["ice_history.F90"]' "$(jq -c '[.nodes[].variables[0].instructions[0].file] | unique' "$work/mod2.json")"
}

# findings VARIANT: prints the findings: pattern, variables, line, and whether the loop is strided, too.
findings()
{
	jq -r '.findings[] | "\(.pattern) \([.variables[].variable] | sort | join(" ")) \(.evidence.line)\(if .strided then " strided" else "" end)"' "$work/$1.json"
}

@test "base is diagnosed as serial work on distributed data at the line of the copy loop, and its corrected variants are not" {
	local all='ice_state::trcrn tc tx ty'

	expect "serial-phase $all $(copy_line), strided $all $(copy_line)" "$(jq -r 'def names: [.variables[].variable] | sort | join(" ");
		.findings[] | "\(.pattern) \(names) \(.evidence.line), strided \(.strided | names) \(.strided.line)"' "$work/base.json")"
	# mod1 runs over the blocks that are written, and reads those of other nodes; its loop, and mod2's, still run over the outer indices: each value is in
	# another cache line. The history divides the blocks in their order, the other loops by their owners.
	expect "schedule-mismatch $all $(copy_line 2) strided" "$(findings mod1)"
	expect "schedule-mismatch ice_state::trcrn $(grep -n 'hist_sum(i, j, block) +' "$root/examples/cice_halo/ice_history.F90" | cut -d: -f1)
strided $all $(copy_line 3)" "$(findings mod2)"
}

@test "all remote samples have a variable's name" {
	local variant

	for variant in base mod1 mod2; do
		expect true "$(jq '.accounting | .selected > 0 and .attributed == .selected' "$work/$variant.json")"
	done
}

@test "the variants compute the same fields, and the calls of all regions are those that the program counts" {
	local variant

	[ "$(cat "$work"/out/*.out | grep -c '^wrong ghost cells 0$')" = 3 ]
	[ "$(cat "$work"/out/*.out | grep '^checksum ' | sort -u | wc -l)" = 1 ]
	for variant in base mod1 mod2; do
		expect "$(awk '$1 == "timer" { print $2, $5 }' "$work/out/$variant.out" | sort)" \
			"$(jq -r '.region_times[] | "\(.path[-1]) \(.calls)"' "$work/$variant.json" | sort)"
	done
}
