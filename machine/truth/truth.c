// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs in the guest: starts, stops, resets and dumps the exact counts of the emulated machine
 * by writing its model MSRs. Requires the msr module and msr.allow_writes=on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MSR_MODEL_ID            0xc0011f00u
#define MSR_MODEL_CONTROL       0xc0011f01u
#define MSR_MODEL_DELIVERED     0xc0011f02u
#define MSR_MODEL_DELIVERED_ALL 0xc0011f03u

#define MODEL_NAME 0x55504d4du /* upper half of MSR_MODEL_ID */

#define STATUS_COUNTING    1u
#define STATUS_HAS_FILE    2u
#define STATUS_DUMP_FAILED 4u

struct command {
	const char *name;
	uint64_t control; /* value for MSR_MODEL_CONTROL; 0: the command only reads */
	const char *help;
};

static const struct command commands[] = {
	{"start", 1, "start counting every access of all CPUs"},
	{"stop", 2, "stop counting; the counts remain"},
	{"reset", 3, "set all counts to zero"},
	{"dump", 4, "write the counts to the machine's truth file on the host"},
	{"status", 0, "print whether the machine counts, and whether it has a truth file"},
	{"delivered", 0, "print the number of samples delivered since power on: per CPU, then the total"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int open_msr(int cpu, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_msr(int cpu, uint32_t msr, uint64_t *value)
{
	int fd = open_msr(cpu, O_RDONLY);
	int err = 0;

	if (fd < 0)
		return fd;
	if (pread(fd, value, sizeof(*value), msr) != sizeof(*value))
		err = -errno;
	close(fd);
	return err;
}

static int write_msr(int cpu, uint32_t msr, uint64_t value)
{
	int fd = open_msr(cpu, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return fd;
	if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value))
		err = -errno;
	close(fd);
	return err;
}

static int fail(const char *what, int err)
{
	fprintf(stderr, "truth: %s: %s.%s\n", what, strerror(-err),
		err == -ENOENT || err == -ENXIO ? " Load the msr module (modprobe msr)."
		: err == -EPERM || err == -EACCES
			? " Run as root, on a kernel started with msr.allow_writes=on."
			: "");
	return 1;
}

static int check_machine(void)
{
	uint64_t id;
	int err = read_msr(0, MSR_MODEL_ID, &id);

	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f00", err);
	if (id >> 32 != MODEL_NAME || (uint32_t)id != 1) {
		fprintf(stderr,
			"truth: this machine does not count accesses (model MSR c0011f00"
			" reads %#llx). Use the QEMU that machine/qemu/build builds.\n",
			(unsigned long long)id);
		return 1;
	}
	return 0;
}

static int print_status(void)
{
	uint64_t status;
	int err = read_msr(0, MSR_MODEL_CONTROL, &status);

	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f01", err);
	printf("counting %s\nfile %s\n", status & STATUS_COUNTING ? "on" : "off",
	       status & STATUS_HAS_FILE ? "yes" : "no");
	return 0;
}

static int print_delivered(void)
{
	uint64_t count;
	int cpu, err;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		err = read_msr(cpu, MSR_MODEL_DELIVERED, &count);
		if (err)
			return fail("model MSR c0011f02", err);
		printf("cpu%d %llu\n", cpu, (unsigned long long)count);
	}
	err = read_msr(0, MSR_MODEL_DELIVERED_ALL, &count);
	if (err)
		return fail("model MSR c0011f03", err);
	printf("all %llu\n", (unsigned long long)count);
	return 0;
}

static int control(const struct command *command)
{
	uint64_t status;
	int err = write_msr(0, MSR_MODEL_CONTROL, command->control);

	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f01", err);
	err = read_msr(0, MSR_MODEL_CONTROL, &status);
	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f01", err);
	if (!strcmp(command->name, "dump") && (status & STATUS_DUMP_FAILED)) {
		fprintf(stderr, "truth: the machine could not write its truth file;"
				" see QEMU's stderr on the host\n");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		if (check_machine())
			return 1;
		if (commands[i].control)
			return control(&commands[i]);
		return strcmp(argv[1], "status") ? print_delivered() : print_status();
	}
	fprintf(stderr, "usage: truth COMMAND\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(stderr, "  %-10s %s\n", commands[i].name, commands[i].help);
	return 2;
}
