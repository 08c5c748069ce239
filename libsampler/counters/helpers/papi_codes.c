/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include <linux/perf_event.h>
#include <papi.h>

#include "papi_codes.h"

/*
 * Events are opened only in the state COUNTING. In the state ADDING, the next event that PAPI asks perf to
 * open is the one whose code is wanted.
 */
static enum { COUNTING, TRANSLATING, ADDING, ADDED } state;
static struct perf_event_attr added;

/* Makes a system call without the C library's wrapper. Returns -errno on failure. */
static long make_system_call(long number, const long a[6])
{
	register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* Copies the attributes. PAPI passes a size of 0, which means the size of the first version of the structure. */
static void copy_attributes(struct perf_event_attr *attr, const struct perf_event_attr *from)
{
	const size_t size = from->size ? from->size : PERF_ATTR_SIZE_VER0;

	memset(attr, 0, sizeof(*attr));
	memcpy(attr, from, size < sizeof(*attr) ? size : sizeof(*attr));
}

/* Opens an event for PAPI. If a hardware event does not exist on this machine, opens a software event instead. */
static long open_event(long number, long arguments[6])
{
	const struct perf_event_attr *wanted = (const void *)arguments[0];
	struct perf_event_attr attr;
	long result;

	if (state == ADDING) {
		copy_attributes(&added, wanted);
		state = ADDED;
	}
	if (state != COUNTING)
		return eventfd(0, EFD_CLOEXEC);
	result = make_system_call(number, arguments);
	if ((result != -ENOENT && result != -EOPNOTSUPP) || wanted->type != PERF_TYPE_HARDWARE)
		return result;
	copy_attributes(&attr, wanted);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	arguments[0] = (long)&attr;
	return make_system_call(number, arguments);
}

/*
 * Interposes the C library's syscall() for PAPI. PAPI opens a hardware event to check whether it may count in
 * another process, even if only software events are wanted. This check would always fail in virtual machines
 * without hardware events. A software event is opened instead, because its permission check is the same.
 */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long arguments[6], result;
	va_list list;
	int i;

	va_start(list, number);
	for (i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	result = number == SYS_perf_event_open ? open_event(number, arguments)
					       : make_system_call(number, arguments);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/*
 * Interposes the C library's fopen() for PAPI. Where perf_event_paranoid forbids counting, PAPI knows no
 * events. But finding the code of an event needs no right, because the module does the counting.
 */
__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
	static char allowed[] = "2\n";

	if (state != COUNTING && !strcmp(path, "/proc/sys/kernel/perf_event_paranoid"))
		return fmemopen(allowed, strlen(allowed), "r");
	return fopen64(path, mode);
}

static int print_refusal(const char *reason)
{
	printf("%s\n", reason);
	return 1;
}

static int refuse_derived_event(const PAPI_event_info_t *info)
{
	unsigned int i;

	printf("it is calculated from %u events; name those:", info->count);
	for (i = 0; i < info->count; i++)
		printf(" %s", info->name[i]);
	printf("\n");
	return 1;
}

static int print_added_event(void)
{
	if (added.type != PERF_TYPE_RAW || added.config1 || added.config2)
		return print_refusal("it is no event of the core, or needs a further register");
	printf("r%llx\n", (unsigned long long)added.config);
	return 0;
}

int papi_print_code(const char *name)
{
	int set = PAPI_NULL, code, status;
	PAPI_event_info_t info;

	state = TRANSLATING;
	status = PAPI_library_init(PAPI_VER_CURRENT);
	if (status != PAPI_VER_CURRENT)
		return print_refusal(status < 0 ? PAPI_strerror(status)
						: "another version of PAPI than at build");
	status = PAPI_event_name_to_code(name, &code);
	if (status == PAPI_OK)
		status = PAPI_get_event_info(code, &info);
	if (status == PAPI_OK)
		status = PAPI_create_eventset(&set);
	if (status != PAPI_OK)
		return print_refusal(PAPI_strerror(status));
	if (info.count > 1)
		return refuse_derived_event(&info);
	state = ADDING;
	/* No event was opened, so this call may fail even if PAPI has asked perf for the event. */
	status = PAPI_add_event(set, code);
	return state == ADDED ? print_added_event() : print_refusal(PAPI_strerror(status));
}
