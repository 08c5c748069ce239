/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets a user's disk quota on a file system. usage: quota DEVICE UID KIB */
#include <stdio.h>
#include <stdlib.h>
#include <sys/quota.h>

int main(int argc, char **argv)
{
	struct dqblk limits = {.dqb_valid = QIF_BLIMITS};

	if (argc != 4)
		return 2;
	limits.dqb_bhardlimit = strtoul(argv[3], NULL, 10);
	if (!quotactl(QCMD(Q_SETQUOTA, USRQUOTA), argv[1], atoi(argv[2]), (char *)&limits))
		return 0;
	perror("quotactl");
	return 1;
}
