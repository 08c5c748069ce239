/* SPDX-License-Identifier: BSD-3-Clause */
/* Number of samples that the emulated machine has delivered, by its own count; see machine/qemu/README.md. */
#ifndef DELIVERED_H
#define DELIVERED_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MSR_DELIVERED_BY_ALL 0xc0011f03

static uint64_t delivered(void)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	uint64_t value;

	if (fd < 0 || pread(fd, &value, sizeof(value), MSR_DELIVERED_BY_ALL) != sizeof(value)) {
		perror("/dev/cpu/0/msr");
		exit(97);
	}
	close(fd);
	return value;
}

#endif
