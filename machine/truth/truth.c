// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs in the guest: starts, stops, resets and dumps the exact counts of the emulated machine
 * by writing its model MSRs. Requires the msr module and msr.allow_writes=on.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MSR_MODEL_ID            0xc0011f00u
#define MSR_MODEL_CONTROL       0xc0011f01u
#define MSR_MODEL_DELIVERED     0xc0011f02u
#define MSR_MODEL_DELIVERED_ALL 0xc0011f03u

#define MODEL_NAME    0x55504d4du /* upper half of MSR_MODEL_ID */
#define MODEL_VERSION 2u          /* lower half */

#define STATUS_COUNTING    1u
#define STATUS_HAS_FILE    2u
#define STATUS_DUMP_FAILED 4u

/* Values of MSR_MODEL_CONTROL */
#define CONTROL_START        1u
#define CONTROL_STOP         2u
#define CONTROL_RESET        3u
#define CONTROL_DUMP         4u
#define CONTROL_NUMBER_SHIFT 8
#define NUMBER_MAX           65535ul

#define STATUS_CANNOT_RUN 127

extern char **environ;

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
	if (id >> 32 != MODEL_NAME || (uint32_t)id != MODEL_VERSION) {
		fprintf(stderr,
			"truth: this machine does not count accesses (model MSR c0011f00 reads %#llx). Use the QEMU that machine/qemu/build builds.\n",
			(unsigned long long)id);
		return 1;
	}
	return 0;
}

static int print_status(char **arguments)
{
	uint64_t status;
	int err = read_msr(0, MSR_MODEL_CONTROL, &status);

	(void)arguments;
	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f01", err);
	printf("counting %s\nfile %s\n", status & STATUS_COUNTING ? "on" : "off",
	       status & STATUS_HAS_FILE ? "yes" : "no");
	return 0;
}

static int print_delivered(char **arguments)
{
	uint64_t count;
	int cpu, err;

	(void)arguments;

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

static int control(uint64_t value)
{
	uint64_t status;
	int err = write_msr(0, MSR_MODEL_CONTROL, value);

	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f01", err);
	err = read_msr(0, MSR_MODEL_CONTROL, &status);
	if (err)
		return fail("/dev/cpu/0/msr: model MSR c0011f01", err);
	if ((value & 0xff) == CONTROL_DUMP && (status & STATUS_DUMP_FAILED)) {
		fprintf(stderr,
			"truth: the machine could not write its truth file; see QEMU's stderr on the host\n");
		return 1;
	}
	return 0;
}

static int start(char **arguments)
{
	(void)arguments;
	return control(CONTROL_START);
}

static int stop(char **arguments)
{
	(void)arguments;
	return control(CONTROL_STOP);
}

static int reset(char **arguments)
{
	(void)arguments;
	return control(CONTROL_RESET);
}

/* Returns false after a message if the text is no number of a file. */
static bool parse_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	if (errno || end == text || *end || *number > NUMBER_MAX) {
		fprintf(stderr, "truth: %s is no number of a file, which is 0 to %lu\n", text, NUMBER_MAX);
		return false;
	}
	return true;
}

static int dump(char **arguments)
{
	uint64_t number = 0;

	if (arguments[0] && !parse_number(arguments[0], &number))
		return 2;
	return control(CONTROL_DUMP | number << CONTROL_NUMBER_SHIFT);
}

/*
 * Counts one command. posix_spawn() does not copy this process, whose address space remains in use. So the address spaces of the command,
 * and of the processes that it waits for, differ from those of other programs that run in between.
 */
static int run(char **arguments)
{
	uint64_t number;
	int status = 0, err, failed;
	pid_t pid;

	if (!arguments[0] || !arguments[1]) {
		fprintf(stderr, "usage: truth run NUMBER COMMAND...\n");
		return 2;
	}
	if (!parse_number(arguments[0], &number))
		return 2;
	if (control(CONTROL_RESET) || control(CONTROL_START))
		return 1;
	err = posix_spawnp(&pid, arguments[1], NULL, NULL, arguments + 1, environ);
	while (!err && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	failed = control(CONTROL_STOP) || control(CONTROL_DUMP | number << CONTROL_NUMBER_SHIFT);
	if (err) {
		fprintf(stderr, "truth: cannot run %s: %s\n", arguments[1], strerror(err));
		return STATUS_CANNOT_RUN;
	}
	if (failed)
		return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct command {
	const char *name;
	int most; /* arguments; -1: any number */
	int (*function)(char **arguments);
	const char *help;
};

static const struct command commands[] = {
	{"start", 0, start, "start counting every access of all CPUs"},
	{"stop", 0, stop, "stop counting; the counts remain"},
	{"reset", 0, reset, "set all counts to zero"},
	{"dump", 1, dump, "[N] write the counts to the machine's truth file on the host, or to FILE.N"},
	{"run", -1, run, "N COMMAND... reset, start, run the command, stop, dump N (0: without number)"},
	{"status", 0, print_status, "print whether the machine counts, and whether it has a truth file"},
	{"delivered", 0, print_delivered,
	 "print the number of samples delivered since power on: per CPU, then the total"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc >= 2 && i < COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name) ||
		    (commands[i].most >= 0 && argc - 2 > commands[i].most))
			continue;
		return check_machine() ? 1 : commands[i].function(argv + 2);
	}
	fprintf(stderr, "usage: truth COMMAND\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(stderr, "  %-10s %s\n", commands[i].name, commands[i].help);
	return 2;
}
