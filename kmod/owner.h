/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects whether the owner of a session still uses it. This is the case as long as the owner maps an area of
 * the session. Mappings are counted. Descriptors are not, because a kernel module does not learn how many of
 * them the owner has: it is not called for dup(2) or at the end of a descriptor table, and a search would
 * take as long as the user likes.
 *
 * A child may keep descriptors and mappings, but it can neither stop the session nor detach its threads. If
 * it kept the session alive, per-CPU events would continue to interrupt all CPUs, and sessions that need
 * other events would get EBUSY. Therefore a session ends with its owner's last mapping.
 */
#ifndef MEMPHIS_OWNER_H
#define MEMPHIS_OWNER_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct memphis_device_session;
struct vm_area_struct;

/**
 * memphis_owner_init() - creates the work queue of reviews; called at module load
 *
 * Return: 0, or -ENOMEM if memory is exhausted.
 */
int memphis_owner_init(void);

/**
 * memphis_owner_exit() - destroys the work queue; called at module unload
 */
void memphis_owner_exit(void);

/**
 * memphis_owner_begin() - prepares the members of a session that this file uses
 * @session: the session
 * @review: function that runs in a kernel thread when the owner no longer maps any area of the session
 */
void memphis_owner_begin(struct memphis_device_session *session, work_func_t review);

/**
 * memphis_owner_end() - waits for a review of the session, if there is one
 * @session: the session, which has no mappings any more; the caller holds no lock
 */
void memphis_owner_end(struct memphis_device_session *session);

/**
 * memphis_owner_maps() - tests whether the owner maps an area of the session
 * @session: the session
 *
 * Return: true if there is such a mapping.
 */
bool memphis_owner_maps(const struct memphis_device_session *session);

/**
 * memphis_owner_mapped() - counts a mapping of the session's file, if it is the owner's
 * @vma: the mapping
 */
void memphis_owner_mapped(const struct vm_area_struct *vma);

/**
 * memphis_owner_unmapped() - undoes memphis_owner_mapped(), and ends the session if that was the owner's last
 * mapping
 * @vma: the mapping
 *
 * The caller may hold mmap_lock, so the session does not end in this call. A kernel thread ends it shortly
 * afterwards (@review of memphis_owner_begin()), or the release of the session's file does.
 */
void memphis_owner_unmapped(const struct vm_area_struct *vma);

#endif
