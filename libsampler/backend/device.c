/* SPDX-License-Identifier: BSD-3-Clause */
/* The module's device as a backend. Keeps its descriptor, and has the advice for the user for each error of the device. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "backend/backend.h"
#include "backend/part.h"
#include "base/fd.h"
#include "settings/env.h"

static MEMPHIS_AT_FORK struct memphis_fd device = {.fd = -1};

static bool is_device_there(void)
{
	return !access(memphis_settings.device, F_OK);
}

/* Returns true if the error means that no module is loaded. */
static bool is_module_missing(int err)
{
	return err == ENOENT || err == ENODEV || err == ENXIO;
}

static const struct memphis_error_answer open_remedies[] = {
	{{ENOENT}, "load the module (modprobe memphis) on this node, or run on the node that has it"},
	{{EACCES, EPERM},
	 "this user may not sample here; ask the site for access to the device (its owner, group or ACL decides)"},
	{{EBUSY}, "the device is in use; wait until it is free"},
	{{ENODEV, ENXIO},
	 "the device node is there, but no module behind it; load the module (modprobe memphis)"},
	{{EMFILE}, "this process may open no more files; raise `ulimit -n`"},
	{{0}, "see dmesg on this node"},
};

/* Opens the device. `process` is not needed, because the request ATTACH specifies the thread. */
static int open_device(UNUSED pid_t process, char *remedy, size_t bytes)
{
	int fd = memphis_fd_open(memphis_settings.device, O_RDWR);
	int err = fd < 0 ? -errno : memphis_fd_take(&device, fd);

	/* On a CPU that the module refuses, it can't be loaded. Then the text gives the reason. */
	if (err && !(is_module_missing(-err) && memphis_part_module_refuses(remedy, bytes)))
		snprintf(remedy, bytes, "%s", memphis_answer_for(open_remedies, -err));
	return err;
}

static void close_device(void)
{
	memphis_fd_close(&device);
}

static void handle_fork(void)
{
}

static int make_request(unsigned long what, void *argument)
{
	int fd = memphis_fd_get(&device);

	if (fd < 0)
		return -EBADF; /* the program has closed the device */
	return ioctl(fd, what, argument) ? -errno : 0;
}

static void *map_area(size_t bytes, int protection, __u64 offset, int *error)
{
	return sys_map_file(device.fd, bytes, protection, offset, error);
}

/* Returns no log: the module itself reads the region from the control page and stores it in the sample. */
static struct memphis_region_log *no_log(UNUSED pid_t tid)
{
	return NULL;
}

static __u64 no_regions_left_out(void)
{
	return 0;
}

/* Does nothing, because the module keeps the rings and the accounting up to date. */
static void collect_nothing(void)
{
}

/* Fills in the device's descriptor. If the program has closed the device, it is -1, which poll(2) ignores. */
static unsigned int list_descriptors(struct pollfd *fds, unsigned int max)
{
	if (!max)
		return 0;
	fds[0] = (struct pollfd){.fd = memphis_fd_get(&device), .events = POLLIN};
	return 1;
}

static const struct memphis_error_answer remedies[] = {
	{{EBUSY},
	 "the sampling hardware is in use by perf or by a session with another period or filter; end that one first"},
	{{EDQUOT},
	 "the sample rings would exceed this user's share of pinned memory; set MEMPHIS_RING_RECORDS lower, or ask the site for a higher ring budget of the module"},
	{{ENOSPC}, "more threads than one session may have; see the module's parameters"},
	{{ENODEV, EOPNOTSUPP},
	 "this CPU, or its BIOS set-up, offers no memory sampling to the kernel (dmesg names it)"},
	{{EACCES},
	 "the contents of this process's stacks may not be read (kernel.yama.ptrace_scope): set MEMPHIS_CALLERS=off, or become root"},
	{{ENOTCONN}, "the program has unmapped the library's pages of the device"},
	{{EBADF},
	 "the program has closed the library's descriptor of the device; threads from before are sampled on"},
	{{ENOMEM}, "no memory for the sample rings; set MEMPHIS_RING_RECORDS lower"},
	{{0}, "see dmesg on this node"},
};

static void write_remedy(int err, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", memphis_answer_for(remedies, err));
}

static void add_metadata(struct memphis_text_buffer *text, const struct memphis_query *query)
{
	memphis_text_add_pair(text, "module_version", query->version);
	memphis_text_add_pair(text, "device", memphis_settings.device);
}

const struct memphis_backend memphis_device = {
	.name = "device",
	.is_there = is_device_there,
	.open = open_device,
	.close = close_device,
	.forked = handle_fork,
	.request = make_request,
	.map = map_area,
	.log = no_log,
	.regions_left_out = no_regions_left_out,
	.collect = collect_nothing,
	.descriptors = list_descriptors,
	.remedy = write_remedy,
	.metadata = add_metadata,
};
