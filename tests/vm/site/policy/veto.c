// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a command while the kernel refuses perf to a user: a BPF program of the hook perf_event_open, as a site's security module may
 * have it. usage: veto UID COMMAND...
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

/* Returns -EACCES if the low half of the user and group ID is the user's, else 0. */
static int load(int uid)
{
	const struct bpf_insn program[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_uid_gid},
		{.code = BPF_ALU | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .imm = uid, .off = 1},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -EACCES},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_LSM_MAC);
	int hook = libbpf_find_vmlinux_btf_id("perf_event_open", BPF_LSM_MAC);

	if (hook < 0)
		return -1;
	options.attach_btf_id = (unsigned int)hook;
	return bpf_prog_load(BPF_PROG_TYPE_LSM, "veto", "GPL", program, sizeof(program) / sizeof(*program),
			     &options);
}

int main(int argc, char **argv)
{
	int program = argc > 2 ? load(atoi(argv[1])) : -1, link = -1;

	if (program >= 0)
		link = bpf_raw_tracepoint_open(NULL, program);
	if (link < 0) {
		fprintf(stderr, "veto: %s\n", strerror(errno));
		return 125;
	}
	/* The link keeps the program in the hook, and ends with this process. */
	if (!fork()) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	wait(NULL);
	return 0;
}
