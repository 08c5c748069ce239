/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out whether the owner of a session still uses it, which is the case as long as the owner maps an area of the session. Descriptors
 * do not count, because a kernel module does not learn how many of them the owner has: dup(2) and the end of a table of descriptors pass it
 * by, and a search would take as long as the user likes. Mappings are counted.
 *
 * A child may keep descriptors and mappings, but can neither stop the session nor detach its threads; per-CPU events would interrupt all
 * CPUs, and sessions that need other events would get EBUSY. So a session ends with its owner's last mapping.
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
 * @review: runs in a kernel thread when the owner maps nothing of the session any more
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
 * memphis_owner_unmapped() - undoes memphis_owner_mapped(), and ends the session if that was the owner's last mapping
 * @vma: the mapping
 *
 * The caller may hold mmap_lock, so a kernel thread ends the session (@review of memphis_owner_begin()), shortly after the function has
 * returned, or the release of the session's file.
 */
void memphis_owner_unmapped(const struct vm_area_struct *vma);

#endif
