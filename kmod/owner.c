// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the owner's mappings of a session. The work item of a session holds no reference to the session. The
 * release of the session removes the item from the queue, or waits for it. So no work is left when the last
 * user of the file has gone.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/workqueue.h>

#include "owner.h"
#include "session.h"

/* Not bound to a CPU, because a real-time thread may occupy that CPU indefinitely. */
static struct workqueue_struct *memphis_reviews;

int memphis_owner_init(void)
{
	memphis_reviews = alloc_workqueue("memphis", WQ_UNBOUND, 0);
	return memphis_reviews ? 0 : -ENOMEM;
}

void memphis_owner_exit(void)
{
	destroy_workqueue(memphis_reviews);
}

void memphis_owner_begin(struct memphis_device_session *session, work_func_t review)
{
	atomic_set(&session->owner_maps, 0);
	INIT_WORK(&session->review, review);
}

void memphis_owner_end(struct memphis_device_session *session)
{
	cancel_work_sync(&session->review);
}

bool memphis_owner_maps(const struct memphis_device_session *session)
{
	return atomic_read(&session->owner_maps);
}

void memphis_owner_mapped(const struct vm_area_struct *vma)
{
	struct memphis_device_session *session = vma->vm_file->private_data;

	if (vma->vm_mm == session->mm)
		atomic_inc(&session->owner_maps);
}

void memphis_owner_unmapped(const struct vm_area_struct *vma)
{
	struct memphis_device_session *session = vma->vm_file->private_data;

	if (vma->vm_mm == session->mm && atomic_dec_and_test(&session->owner_maps))
		queue_work(memphis_reviews, &session->review);
}
