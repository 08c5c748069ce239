/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of the functions that change the rights of the process. A companion shares the process's
 * memory, so it must never have more rights than the process. Each change is therefore also made in the
 * companions, by the same system call (memphis_companions_follow()). The C library makes these calls in all
 * its threads, but it does not know the companions.
 *
 * System calls that restrict system calls (seccomp) or files (landlock) are different, because the library
 * needs other calls than the program. Before them, the library finishes the files and ends the companions.
 */
#include <grp.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>

#include "base/busy.h"
#include "base/companion.h"
#include "control/session.h"
#include "interpose/syscall.h"
#include "interpose/next_symbols.h"
#include "record/drain.h"

#define GROUPS_MAX 65536 /* the kernel's limit, NGROUPS_MAX */

MEMPHIS_CREDENTIALS(MEMPHIS_DECLARE)

#define FLUSH_MS 2000

/* Work of the library before a system call of the program. */
typedef void preparation(long number, const long a[6]);

/*
 * Writes the held data to files, because the process may not be able to create files after the change. Then
 * makes the change in the companions.
 */
static void change_ids(long number, const long a[6])
{
	int cancel;

	if (memphis_session_is_usable()) {
		cancel = memphis_enter();
		memphis_drain_request(MEMPHIS_DRAIN_FILES, FLUSH_MS);
		memphis_leave(cancel);
	}
	memphis_companions_follow(number, a);
}

static bool is_first_thread(void)
{
	return sys_gettid() == getpid();
}

/*
 * Makes the call in the companions if the calling thread is the first thread of the process. The call changes
 * only the calling thread.
 */
static void follow_first_thread(long number, const long a[6])
{
	if (is_first_thread())
		memphis_companions_follow(number, a);
}

static void change_capabilities(long number, const long a[6])
{
	const struct __user_cap_header_struct *given = (const void *)a[0];
	struct __user_cap_header_struct own;

	if (!given)
		return;
	/* A pid of 0 means the calling process. In a companion, capset(2) accepts no other process than the companion itself. */
	own = (struct __user_cap_header_struct){.version = given->version, .pid = 0};
	follow_first_thread(number, (const long[6]){(long)&own, a[1], 0, 0, 0, 0});
}

static void prepare_confinement(UNUSED long number, UNUSED const long a[6])
{
	memphis_session_finish();
}

/*
 * Prepares for the restriction of system calls. The filter mode without a filter, or a query, restricts
 * nothing. The strict mode needs no filter.
 */
static void prepare_filter(long number, const long a[6])
{
	if (a[0] == SECCOMP_SET_MODE_STRICT || (a[0] == SECCOMP_SET_MODE_FILTER && a[2]))
		prepare_confinement(number, a);
}

static void prepare_prctl(long number, const long a[6])
{
	switch (a[0]) {
	case PR_SET_NO_NEW_PRIVS:
	case PR_CAPBSET_DROP:
	case PR_CAP_AMBIENT:
	case PR_SET_SECUREBITS:
	case PR_SET_KEEPCAPS:
		follow_first_thread(number, a);
		break;
	case PR_SET_CHILD_SUBREAPER:
		memphis_companions_are_adopted = a[1] != 0;
		break;
	case PR_SET_SECCOMP:
		if (a[1] == SECCOMP_MODE_STRICT || (a[1] == SECCOMP_MODE_FILTER && a[2]))
			prepare_confinement(number, a);
	}
}

/*
 * Returns the work of the library before a system call. The companions make the call first, because the
 * program may have no right to send them signals afterwards. All system calls of this file that are not in
 * the table change the user or the groups.
 */
static preparation *find_preparation(long number)
{
	static const struct {
		long number;
		preparation *prepare;
	} preparations[] = {
		{SYS_setfsuid, follow_first_thread}, {SYS_setfsgid, follow_first_thread},
		{SYS_capset, change_capabilities},   {SYS_prctl, prepare_prctl},
		{SYS_seccomp, prepare_filter},       {SYS_landlock_restrict_self, prepare_confinement},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(preparations); i++)
		if (preparations[i].number == number)
			return preparations[i].prepare;
	return change_ids;
}

/*
 * Handles a system call that the program makes directly. Unlike the functions of the C library, it changes
 * only the calling thread.
 */
long memphis_credentials_call(long number, const long a[6], UNUSED void *frame)
{
	preparation *const prepare = find_preparation(number);

	if (prepare != change_ids || is_first_thread())
		prepare(number, a);
	return memphis_next_call(number, a);
}

/* Defines a function of the C library. `number` and the arguments after it are the system call that the function makes. */
#define DEFINE_SETTER(name, parameters, given, number, ...)                     \
	int MEMPHIS_ENTRY(name) parameters                                      \
	{                                                                       \
		memphis_next_complete();                                        \
		find_preparation(number)(number, (const long[6]){__VA_ARGS__}); \
		return memphis_next.name given;                                 \
	}

DEFINE_SETTER(setuid, (uid_t u), (u), SYS_setuid, u)
DEFINE_SETTER(seteuid, (uid_t e), (e), SYS_setresuid, -1, e, -1)
DEFINE_SETTER(setreuid, (uid_t r, uid_t e), (r, e), SYS_setreuid, r, e)
DEFINE_SETTER(setresuid, (uid_t r, uid_t e, uid_t s), (r, e, s), SYS_setresuid, r, e, s)
DEFINE_SETTER(setfsuid, (uid_t u), (u), SYS_setfsuid, u)
DEFINE_SETTER(setgid, (gid_t g), (g), SYS_setgid, g)
DEFINE_SETTER(setegid, (gid_t e), (e), SYS_setresgid, -1, e, -1)
DEFINE_SETTER(setregid, (gid_t r, gid_t e), (r, e), SYS_setregid, r, e)
DEFINE_SETTER(setresgid, (gid_t r, gid_t e, gid_t s), (r, e, s), SYS_setresgid, r, e, s)
DEFINE_SETTER(setfsgid, (gid_t g), (g), SYS_setfsgid, g)
DEFINE_SETTER(setgroups, (size_t count, const gid_t *groups), (count, groups), SYS_setgroups, (long)count,
	      (long)groups)
DEFINE_SETTER(capset, (void *header, void *data), (header, data), SYS_capset, (long)header, (long)data)

/*
 * initgroups() looks up the user's groups and sets them in one call, so the library does not know them beforehand. It
 * reads the new groups afterwards, and sets the same ones in the companions.
 */
int MEMPHIS_ENTRY(initgroups)(const char *user, gid_t group)
{
	const size_t bytes = GROUPS_MAX * sizeof(gid_t);
	gid_t *groups;
	int err, count;

	memphis_next_complete();
	err = memphis_next.initgroups(user, group);
	if (err || !memphis_companions_are_there())
		return err;
	groups = sys_map(bytes);
	count = groups ? getgroups(GROUPS_MAX, groups) : 0;
	change_ids(SYS_setgroups, (const long[6]){count > 0 ? count : 0, (long)groups});
	sys_unmap(groups, bytes);
	return 0;
}

int MEMPHIS_ENTRY(prctl)(int option, ...)
{
	long a[6] = {option};
	va_list args;
	int i;

	va_start(args, option);
	for (i = 1; i < 5; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	memphis_next_complete();
	prepare_prctl(SYS_prctl, a);
	return memphis_next.prctl(option, a[1], a[2], a[3], a[4]);
}
