// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a command whose memory is interleaved over nodes 0 and 1.
 * usage: interleave COMMAND [ARG...]
 */
#include <linux/mempolicy.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const unsigned long nodes = 3;

	if (argc < 2)
		return 2;
	if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, &nodes, 8 * sizeof(nodes))) {
		perror("set_mempolicy");
		return 97;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
