/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of the functions that change what the process may do. A companion shares the process's memory, so that it must never
 * have more rights than the process: each change is made in the companions, too, by the same system call (memphis_companions_follow()).
 * The C library makes the calls of these functions in all threads, of which the companions are none.
 *
 * A filter of system calls (seccomp) is different, because the library needs other calls than the program does: the files are finished
 * before.
 */
#include <grp.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>

#include "base/companion.h"
#include "control/session.h"
#include "interpose/credentials.h"
#include "interpose/next_symbols.h"
#include "record/drain.h"

#define PUBLIC __attribute__((visibility("default")))

#define GROUPS_MAX 65536 /* the kernel's limit, NGROUPS_MAX */

PUBLIC int MEMPHIS_ENTRY(setuid)(uid_t user);
PUBLIC int MEMPHIS_ENTRY(seteuid)(uid_t user);
PUBLIC int MEMPHIS_ENTRY(setreuid)(uid_t real, uid_t effective);
PUBLIC int MEMPHIS_ENTRY(setresuid)(uid_t real, uid_t effective, uid_t saved);
PUBLIC int MEMPHIS_ENTRY(setgid)(gid_t group);
PUBLIC int MEMPHIS_ENTRY(setegid)(gid_t group);
PUBLIC int MEMPHIS_ENTRY(setregid)(gid_t real, gid_t effective);
PUBLIC int MEMPHIS_ENTRY(setresgid)(gid_t real, gid_t effective, gid_t saved);
PUBLIC int MEMPHIS_ENTRY(setgroups)(size_t count, const gid_t *groups);
PUBLIC int MEMPHIS_ENTRY(initgroups)(const char *user, gid_t group);
PUBLIC int MEMPHIS_ENTRY(setfsuid)(uid_t user);
PUBLIC int MEMPHIS_ENTRY(setfsgid)(gid_t group);
PUBLIC int MEMPHIS_ENTRY(capset)(void *header, void *data);
PUBLIC int MEMPHIS_ENTRY(prctl)(int option, ...);

#define FLUSH_MS 2000

static void change_prctl(const long a[6])
{
	switch (a[0]) {
	case PR_SET_NO_NEW_PRIVS:
	case PR_CAPBSET_DROP:
	case PR_CAP_AMBIENT:
	case PR_SET_SECUREBITS:
	case PR_SET_KEEPCAPS:
		memphis_companions_follow(SYS_prctl, a);
		break;
	case PR_SET_CHILD_SUBREAPER:
		memphis_companions_are_adopted = a[1] != 0;
		break;
	case PR_SET_SECCOMP:
		memphis_session_finish();
	}
}

static void change_capabilities(const long a[6])
{
	const struct __user_cap_header_struct *given = (const void *)a[0];
	struct __user_cap_header_struct own;

	if (!given)
		return;
	/* In a companion, 0 stands for itself; capset(2) knows no other process. */
	own = (struct __user_cap_header_struct){.version = given->version, .pid = 0};
	memphis_companions_follow(SYS_capset, (const long[6]){(long)&own, a[1], 0, 0, 0, 0});
}

void memphis_credentials_change(long number, const long a[6])
{
	const struct memphis_session *s = &memphis_session;
	int cancel;

	if (number == SYS_prctl) {
		change_prctl(a);
	} else if (number == SYS_seccomp) {
		memphis_session_finish();
	} else if (number == SYS_capset) {
		change_capabilities(a);
	} else if (number == SYS_setfsuid || number == SYS_setfsgid) {
		memphis_companions_follow(number, a);
	} else {
		/* Afterwards, it may not be possible to make files any more. */
		if (atomic_load(&s->state) == MEMPHIS_SESSION_READY && !memphis_busy && s->pid == getpid() &&
		    !memphis_is_copy()) {
			cancel = memphis_enter();
			memphis_drain_request(MEMPHIS_DRAIN_NOW, FLUSH_MS);
			memphis_leave(cancel);
		}
		memphis_companions_follow(number, a);
	}
}

#define FOLLOW(number, a, b, c) \
	memphis_credentials_change(number, (const long[6]){(long)(a), (long)(b), (long)(c), 0, 0, 0})

int MEMPHIS_ENTRY(setuid)(uid_t user)
{
	memphis_next_setup();
	FOLLOW(SYS_setuid, user, 0, 0);
	return memphis_next.setuid(user);
}

int MEMPHIS_ENTRY(seteuid)(uid_t user)
{
	memphis_next_setup();
	FOLLOW(SYS_setresuid, -1, user, -1);
	return memphis_next.seteuid(user);
}

int MEMPHIS_ENTRY(setreuid)(uid_t real, uid_t effective)
{
	memphis_next_setup();
	FOLLOW(SYS_setreuid, real, effective, 0);
	return memphis_next.setreuid(real, effective);
}

int MEMPHIS_ENTRY(setresuid)(uid_t real, uid_t effective, uid_t saved)
{
	memphis_next_setup();
	FOLLOW(SYS_setresuid, real, effective, saved);
	return memphis_next.setresuid(real, effective, saved);
}

int MEMPHIS_ENTRY(setgid)(gid_t group)
{
	memphis_next_setup();
	FOLLOW(SYS_setgid, group, 0, 0);
	return memphis_next.setgid(group);
}

int MEMPHIS_ENTRY(setegid)(gid_t group)
{
	memphis_next_setup();
	FOLLOW(SYS_setresgid, -1, group, -1);
	return memphis_next.setegid(group);
}

int MEMPHIS_ENTRY(setregid)(gid_t real, gid_t effective)
{
	memphis_next_setup();
	FOLLOW(SYS_setregid, real, effective, 0);
	return memphis_next.setregid(real, effective);
}

int MEMPHIS_ENTRY(setresgid)(gid_t real, gid_t effective, gid_t saved)
{
	memphis_next_setup();
	FOLLOW(SYS_setresgid, real, effective, saved);
	return memphis_next.setresgid(real, effective, saved);
}

int MEMPHIS_ENTRY(setgroups)(size_t count, const gid_t *groups)
{
	memphis_next_setup();
	FOLLOW(SYS_setgroups, count, groups, 0);
	return memphis_next.setgroups(count, groups);
}

/* The C library finds the groups and sets them at once, so that the companions can only follow afterwards. */
int MEMPHIS_ENTRY(initgroups)(const char *user, gid_t group)
{
	const size_t bytes = GROUPS_MAX * sizeof(gid_t);
	gid_t *groups;
	int err, count;

	memphis_next_setup();
	err = memphis_next.initgroups(user, group);
	if (err)
		return err;
	groups = sys_map(bytes);
	count = groups ? getgroups(GROUPS_MAX, groups) : 0;
	FOLLOW(SYS_setgroups, count > 0 ? count : 0, groups, 0);
	sys_unmap(groups, bytes);
	return 0;
}

int MEMPHIS_ENTRY(setfsuid)(uid_t user)
{
	memphis_next_setup();
	FOLLOW(SYS_setfsuid, user, 0, 0);
	return memphis_next.setfsuid(user);
}

int MEMPHIS_ENTRY(setfsgid)(gid_t group)
{
	memphis_next_setup();
	FOLLOW(SYS_setfsgid, group, 0, 0);
	return memphis_next.setfsgid(group);
}

int MEMPHIS_ENTRY(capset)(void *header, void *data)
{
	memphis_next_setup();
	FOLLOW(SYS_capset, header, data, 0);
	return memphis_next.capset(header, data);
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
	memphis_next_setup();
	memphis_credentials_change(SYS_prctl, a);
	return memphis_next.prctl(option, a[1], a[2], a[3], a[4]);
}
