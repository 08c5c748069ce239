/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ends a session when its owner has no access to it any more: no descriptor and no mapping. A child may keep both, but can
 * neither stop the session nor detach its threads; per-CPU events would interrupt all CPUs, and sessions that need other
 * events would get EBUSY.
 */
#ifndef MEMPHIS_OWNER_H
#define MEMPHIS_OWNER_H

struct file;
struct memphis_session;
struct vm_area_struct;

/**
 * memphis_owner_init() - prepares the members of a session that this file uses
 * @session: the session
 * @file: the session's file
 */
void memphis_owner_init(struct memphis_session *session, struct file *file);

/**
 * memphis_owner_review() - ends the session if its owner has no access to it any more
 * @session: the session; the caller keeps its file open
 *
 * Called after a descriptor was closed. A descriptor or mapping that the owner gets back later, for example from a child,
 * gives access to the session again, but the session is stopped and has no threads.
 */
void memphis_owner_review(struct memphis_session *session);

/**
 * memphis_owner_mapped() - counts a mapping of the session's file, if it is the owner's
 * @vma: the mapping
 */
void memphis_owner_mapped(const struct vm_area_struct *vma);

/**
 * memphis_owner_unmapped() - undoes memphis_owner_mapped(), and ends the session if the owner has no access any more
 * @vma: the mapping
 *
 * The caller may hold mmap_lock, so the session is ended by a kernel thread, shortly after the function has returned.
 */
void memphis_owner_unmapped(const struct vm_area_struct *vma);

#endif
