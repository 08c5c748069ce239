#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Transfer of files into and out of the guest. If these tests fail, a sample file on the host may differ from the file that the
# guest wrote.

load common

@test "files and directories come back unchanged, and a symbolic link in the path of a file exists in the guest as well" {
	local in=$BATS_TEST_TMPDIR/in out=$BATS_TEST_TMPDIR/out
	mkdir -p "$in/deep/er"
	head -c 30000000 /dev/urandom > "$in/big"
	head -c 4097 /dev/urandom > "$in/deep/er/odd"
	: > "$in/deep/empty"
	ln -s er/odd "$in/deep/link"
	chmod 0750 "$in/deep/er"
	chmod 0640 "$in/deep/empty"
	mkdir -p "$BATS_TEST_TMPDIR/real/dir"
	echo content > "$BATS_TEST_TMPDIR/real/dir/file"
	ln -s real "$BATS_TEST_TMPDIR/link"
	guest --put "$in" --put "$in/big:/srv/renamed" --put "$BATS_TEST_TMPDIR/link/dir/file" --get "$in:$out/same" --get "/srv/renamed:$out/one" -- \
		sh -c "sha256sum < /srv/renamed; cd $BATS_TEST_TMPDIR; cat link/dir/file real/dir/file; readlink link"
	[ "$status" -eq 0 ]
	[ "$output" = "$(sha256sum < "$in/big")
content
content
real" ]
	diff -r "$in" "$out/same"
	cmp "$in/big" "$out/one"
	[ "$(readlink "$out/same/deep/link")" = er/odd ]
	[ "$(stat -c %a "$out/same/deep/er" "$out/same/deep/empty" | tr '\n' ' ')" = "750 640 " ]
}

@test "files are fetched although the command failed, and its status is kept" {
	guest --get "/tmp/left:$BATS_TEST_TMPDIR/left" -- sh -c 'echo left > /tmp/left; exit 3'
	[ "$status" -eq 3 ]
	[ "$(cat "$BATS_TEST_TMPDIR/left")" = left ]
}

@test "a file that is missing in the guest fails the run and is named" {
	guest --get "/tmp/nothing:$BATS_TEST_TMPDIR/nothing" -- true
	[ "$status" -eq 98 ]
	[[ "$stderr" == *"/tmp/nothing does not exist in the guest"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/nothing" ]
}
