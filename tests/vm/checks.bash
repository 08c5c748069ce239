# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# The checks that the programs of one boot made: lines "ok NAME" or "not ok NAME ..." in $work/KERNEL.txt.

# Those whose boots are looked at; a test may look at fewer.
kernels='6.1 6.12'

# passed NAME: the check of this name was made on each kernel, and held each time.
passed()
{
	local kernel

	for kernel in $kernels; do
		if ! grep -Fxq "ok $1" "$work/$kernel.txt" || grep -Fq "not ok $1" "$work/$kernel.txt"; then
			echo "$kernel: $(grep -F "$1" "$work/$kernel.txt" || echo "no check named: $1")"
			tail -n 5 "$work/$kernel.err"
			return 1
		fi
	done
}

# all_passed PATTERN COUNT: so many checks have names of this pattern, and all of them held, on each kernel.
all_passed()
{
	local kernel found

	for kernel in $kernels; do
		found=$(grep -E "^ok $1" "$work/$kernel.txt" | sort -u | wc -l)
		if [ "$found" -ne "$2" ] || grep -Eq "^not ok $1" "$work/$kernel.txt"; then
			echo "$kernel: $found of $2 checks held"
			grep -E "^not ok $1" "$work/$kernel.txt"
			return 1
		fi
	done
}
