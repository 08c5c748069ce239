// SPDX-License-Identifier: BSD-3-Clause
/* Checks of what sampling requires: kernel, module, device, and perf. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <memphis/device.h>
#include <memphis/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/node.h"

/* Agrees with the device on a version of the ABI, and queries it. */

int memphis_device_query(struct memphis_query *query, const char *root, const char *device, bool *opened)
{
	struct memphis_agreement agreement = {.oldest = MEMPHIS_ABI_OLDEST, .newest = MEMPHIS_ABI};
	struct stat status;
	char path[PATH_MAX];
	int fd, rc;

	*opened = false;
	if (snprintf(path, sizeof(path), "%s%s", root, device) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*opened = true;
	rc = fstat(fd, &status) || !S_ISCHR(status.st_mode) ? -ENOTTY : 0;
	if (!rc && ioctl(fd, MEMPHIS_IOC_AGREE, &agreement)) {
		/* A module of version 1 does not know this request. */
		rc = errno == ENOTTY ? 0 : -errno;
		agreement.abi = 1;
	}
	if (!rc && !agreement.abi)
		*query = (struct memphis_query){
			.abi = agreement.newest < MEMPHIS_ABI_OLDEST ? agreement.newest : agreement.oldest};
	else if (!rc && ioctl(fd, MEMPHIS_IOC_QUERY, query))
		rc = -errno;
	close(fd);
	query->pmu[sizeof(query->pmu) - 1] = '\0';
	return rc;
}

bool memphis_device_is_known(const struct memphis_query *query)
{
	return query->abi >= MEMPHIS_ABI_OLDEST && query->abi <= MEMPHIS_ABI;
}

/* File of the module's parameter `controllers`: the list of memory controllers' counters that users of the device can read. */

#define PARAMETER "/sys/module/memphis/parameters/controllers"

static const char *refusal_remedy(int err)
{
	switch (err) {
	case ENOENT:
		return "; load the module of this version (modprobe memphis)";
	case EACCES:
	case EPERM:
		return "; only root may do this";
	default:
		return "; the kernel refuses a counter of the list";
	}
}

int memphis_controllers_write(const char *root, const char *list, struct memphis_error *error)
{
	const size_t bytes = strlen(list);
	char path[PATH_MAX];
	int fd, rc = 0;

	snprintf(path, sizeof(path), "%s" PARAMETER, root);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd >= 0)
		errno = 0;
	if (fd < 0 || write(fd, list, bytes) != (ssize_t)bytes) {
		rc = errno ? errno : E2BIG;
		rc = memphis_fail(error, -rc, "%s: %s%s", path, strerror(rc), refusal_remedy(rc));
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

void memphis_controllers_names(struct memphis_text *text, const char *list)
{
	const char *line, *end, *name, *first;
	const char *separator = "";

	for (line = list; *line; line = end + 1) {
		char found[64];
		int field;

		end = strchr(line, '\n');
		for (name = line, field = 0; field < 7; field++)
			name = strchr(name, ' ') + 1;
		snprintf(found, sizeof(found), " %.*s", (int)(end - name + 1), name);
		first = strstr(list, found);
		if (first != name - 1)
			continue;
		memphis_text_print(text, "%s%.*s", separator, (int)(end - name), name);
		separator = ", ";
	}
}

/*
 * Default limit of the kernel on samples per second. The kernel lowers the limit permanently if interrupts
 * take more than kernel.perf_cpu_time_max_percent of the time (perf_sample_event_took() in
 * kernel/events/core.c of Linux).
 */
#define USUAL_RATE 100000
/* Memory for the perf buffers of 64 threads: 512 KiB plus one page for each thread. */
#define LOCKED_BYTES (64ull * 516 * 1024)
#define FILES        1024

enum memphis_verdict memphis_check_kernel(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	char *release = memphis_root_read(examination->machine->root, "/proc/sys/kernel/osrelease");
	unsigned int major, minor;

	if (!release || sscanf(release, "%u.%u", &major, &minor) != 2) {
		free(release);
		return memphis_check_unknown(finding, "not reported by the kernel");
	}
	memphis_text_put(&finding->value, release);
	memphis_text_put(&finding->evidence, release);
	free(release);
	if (major > 5 || (major == 5 && minor >= 10))
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy, "Linux 5.10 or later is needed");
	return MEMPHIS_VERDICT_FAIL;
}

enum memphis_verdict memphis_check_module(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	const char *root = examination->machine->root;
	char *version = memphis_root_read(root, "/sys/module/memphis/version");
	bool same;

	if (!version) {
		memphis_text_put(&finding->value, "missing");
		memphis_text_put(&finding->evidence, "not loaded");
		memphis_text_put(
			&finding->remedy,
			"as root: modprobe memphis (docs/installing.md: how to build it for this kernel)");
		return MEMPHIS_VERDICT_FAIL;
	}
	same = !strcmp(version, MEMPHIS_VERSION);
	memphis_text_put(&finding->value, version);
	memphis_text_print(&finding->evidence, "memphis %s", version);
	free(version);
	if (same)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->evidence, ", this tool is " MEMPHIS_VERSION);
	memphis_text_put(&finding->remedy, "install module and tool of one version");
	return MEMPHIS_VERDICT_WARN;
}

static enum memphis_verdict report_refusal(struct memphis_check_result *finding, const char *path, int err)
{
	memphis_text_print(&finding->evidence, "%s: %s", path, strerror(err));
	switch (err) {
	case EACCES:
	case EPERM:
		memphis_text_put(&finding->value, "closed");
		memphis_text_put(
			&finding->remedy,
			"this user may not sample: the device's owner, group or ACL decides (as root: setfacl -m u:NAME:rw on it)");
		return MEMPHIS_VERDICT_FAIL;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		memphis_text_put(&finding->value, "missing");
		memphis_text_put(&finding->remedy, "load the module (as root: modprobe memphis)");
		return MEMPHIS_VERDICT_FAIL;
	case EDQUOT:
		memphis_text_put(&finding->remedy,
				 "this user's sessions have all the memory that rings may take: end them");
		return MEMPHIS_VERDICT_FAIL;
	default:
		memphis_text_put(&finding->remedy, "see dmesg on this node");
		return MEMPHIS_VERDICT_UNKNOWN;
	}
}

static enum memphis_verdict judge_query(struct memphis_check_result *finding, const char *path,
					const struct memphis_query *query)
{
	if (!memphis_device_is_known(query)) {
		memphis_text_put(&finding->value, "other");
		memphis_text_print(&finding->evidence, "%s has ABI %u, this tool %d to %d", path, query->abi,
				   MEMPHIS_ABI_OLDEST, MEMPHIS_ABI);
		memphis_text_put(&finding->remedy, "install module and tool of one version");
		return MEMPHIS_VERDICT_FAIL;
	}
	memphis_text_put(&finding->value, "open");
	memphis_text_print(&finding->evidence, "%s: ABI %u, %.31s, an event per %s, %" PRIu64 " MiB of rings",
			   path, query->abi, query->pmu,
			   query->sampler == MEMPHIS_SAMPLER_CPU ? "CPU" : "thread",
			   (uint64_t)query->ring_budget_bytes >> 20);
	return MEMPHIS_VERDICT_OK;
}

enum memphis_verdict memphis_check_device(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	struct memphis_query query = {0};
	enum memphis_verdict verdict;
	bool opened;
	int rc = -memphis_device_query(&query, examination->machine->root, examination->device, &opened);

	if (rc && !opened)
		return report_refusal(finding, examination->device, rc);
	verdict = !rc ? judge_query(finding, examination->device, &query) : MEMPHIS_VERDICT_FAIL;
	if (rc) {
		memphis_text_put(&finding->value, "other");
		memphis_text_print(&finding->evidence, "%s is not a Memphis device: %s", examination->device,
				   strerror(rc));
		memphis_text_put(
			&finding->remedy,
			"install module and tool of one version; if that file is not the module's, remove it, and load the module");
	}
	return verdict;
}

static bool can_use_device(const struct memphis_examination *examination)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s%s", examination->machine->root, examination->device) <
		       (int)sizeof(path) &&
	       !access(path, R_OK | W_OK);
}

enum memphis_verdict memphis_check_perf(const struct memphis_examination *examination,
					struct memphis_check_result *finding)
{
	char *text = memphis_root_read(examination->machine->root, "/proc/sys/kernel/perf_event_paranoid");
	long paranoid;

	if (!text)
		return memphis_check_unknown(finding, "the kernel has no perf");
	paranoid = strtol(text, NULL, 10);
	free(text);
	memphis_text_print(&finding->value, "%ld", paranoid);
	memphis_text_print(&finding->evidence, "kernel.perf_event_paranoid is %ld", paranoid);
	if (paranoid <= 1)
		return MEMPHIS_VERDICT_OK;
	if (can_use_device(examination)) {
		memphis_text_put(&finding->evidence, "; not needed with the device");
		return MEMPHIS_VERDICT_OK;
	}
	memphis_text_put(&finding->remedy,
			 "as root: sysctl kernel.perf_event_paranoid=1, or open the device to this user");
	return MEMPHIS_VERDICT_WARN;
}

enum memphis_verdict memphis_check_perf_limits(const struct memphis_examination *examination,
					       struct memphis_check_result *finding)
{
	const char *root = examination->machine->root;
	const double needed = memphis_default_rate(examination);
	uint64_t rate, percent, watchdog = 0;

	if (!memphis_root_number(&rate, root, "/proc/sys/kernel/perf_event_max_sample_rate") ||
	    !memphis_root_number(&percent, root, "/proc/sys/kernel/perf_cpu_time_max_percent"))
		return memphis_check_unknown(finding, "not reported by the kernel");
	memphis_root_number(&watchdog, root, "/proc/sys/kernel/nmi_watchdog");
	memphis_text_print(&finding->value, "%" PRIu64, rate);
	memphis_text_print(&finding->evidence,
			   "%" PRIu64 " samples per second and CPU, %" PRIu64 " %% of its time; watchdog %s",
			   rate, percent, watchdog ? "on" : "off");
	if (rate >= USUAL_RATE)
		return MEMPHIS_VERDICT_OK;
	/*
	 * An event that reaches the limit pauses until the next tick. This is no failure, because reports
	 * count the pauses. If it were a failure, any user who may sample could make the machine unfit.
	 */
	if ((double)rate < needed)
		memphis_text_print(
			&finding->evidence,
			"; the default period takes up to %.0f samples, of which perf then drops some",
			needed);
	memphis_text_print(
		&finding->remedy,
		"interrupts took too long once, and the kernel has lowered the rate for good%s; as root: sysctl kernel.perf_event_max_sample_rate=%d",
		(double)rate < needed ? ", so that samples are lost" : "", USUAL_RATE);
	return MEMPHIS_VERDICT_WARN;
}

static void put_limit(struct memphis_text *text, const char *name, rlim_t limit, const char *unit)
{
	if (limit == RLIM_INFINITY)
		memphis_text_print(text, "%s unlimited", name);
	else
		memphis_text_print(text, "%s %" PRIu64 "%s", name, (uint64_t)limit, unit);
}

enum memphis_verdict memphis_check_locked_memory(const struct memphis_examination *examination,
						 struct memphis_check_result *finding)
{
	struct rlimit locked = {0}, files = {0};
	bool few_files, little;

	getrlimit(RLIMIT_MEMLOCK, &locked);
	getrlimit(RLIMIT_NOFILE, &files);
	put_limit(&finding->evidence, "locked memory",
		  locked.rlim_cur == RLIM_INFINITY ? locked.rlim_cur : locked.rlim_cur / 1024, " KiB");
	put_limit(&finding->evidence, ", open files", files.rlim_cur, "");
	/* The limit on locked memory does not apply to the module's ring buffers. The module has its own budget for them. */
	little = locked.rlim_cur < LOCKED_BYTES && !can_use_device(examination) && geteuid();
	few_files = files.rlim_cur < FILES;
	if (!little && !few_files)
		return MEMPHIS_VERDICT_OK;
	memphis_text_print(
		&finding->remedy,
		"%s for programs of many threads: raise `ulimit %s` (/etc/security/limits.conf; Slurm: PropagateResourceLimits)",
		little ? "too little for perf's buffers" : "too few", little ? "-l" : "-n");
	return MEMPHIS_VERDICT_WARN;
}
