/* SPDX-License-Identifier: BSD-3-Clause */
/* Attachment of a thread to the backend: its control page and its ring. */
#include "backend/backend.h"
#include "core/attachment.h"
#include "core/sample_epoch.h"
#include "core/stamp.h"

void memphis_attachment_pass_bounds(struct memphis_thread_record *thread)
{
	const __u64 high = __atomic_load_n(&thread->stacks.high, __ATOMIC_ACQUIRE);

	if (likely(thread->page->stack_high == high))
		return;
	thread->page->stack_low = thread->stacks.low;
	__atomic_store_n(&thread->page->stack_high, high, __ATOMIC_RELEASE);
}

int memphis_attach(struct memphis_thread_record *thread)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_attach attach = {.tid = thread->tid,
					.memory = s->config.stack_bytes && s->identity.contents
							  ? s->identity.contents
							  : s->identity.memory};
	const struct memphis_status *status;
	int err;

	err = memphis_backend->request(MEMPHIS_IOC_ATTACH, &attach);
	if (err)
		goto failed;
	thread->page =
		memphis_backend->map(MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, attach.control_offset, &err);
	if (!thread->page)
		goto detach;
	thread->ring_bytes = attach.ring_bytes;
	thread->stacks_at = attach.stacks_at;
	status = memphis_backend->map(attach.ring_bytes, PROT_READ, attach.ring_offset, &err);
	if (!status)
		goto unmap_page;
	thread->tail = thread->touched = thread->head = 0;
	thread->stack_tail = thread->stack_head = 0;
	thread->attachment = MEMPHIS_ATTACHED;
	memphis_attachment_pass_bounds(thread);
	memphis_stamp_copy(thread->page, NULL, thread);
	atomic_store(&thread->control, thread->page);
	atomic_store(&thread->log, memphis_backend->log(thread->tid));
	memphis_stamp_copy(thread->page, thread->log,
			   thread); /* in case the thread changed its region in between */
	__atomic_store_n(&thread->status, status, __ATOMIC_RELEASE);
	atomic_fetch_add(&s->threads_attached, 1);
	return 0;

unmap_page:
	sys_unmap(thread->page, MEMPHIS_PAGE_BYTES);
	thread->page = NULL;
detach:
	memphis_backend->request(MEMPHIS_IOC_DETACH, &thread->tid);
failed:
	if (err == -ESRCH) {
		/* The thread ended before it could be attached. */
		atomic_store(&thread->ended, 1);
		return err;
	}
	thread->attachment = MEMPHIS_ATTACH_FAILED;
	thread->attach_error = err;
	atomic_fetch_add(&s->threads_unsampled, 1);
	return err;
}

void memphis_detach(struct memphis_thread_record *thread)
{
	const struct memphis_status *status = thread->status;
	struct memphis_control *page = thread->page;

	if (!status)
		return;
	atomic_store(&thread->log, NULL);
	memphis_backend->request(MEMPHIS_IOC_DETACH, &thread->tid);
	/* Clear the pointers under the lock of the list, because searches of the list read the status. */
	memphis_thread_pause();
	thread->page = NULL;
	thread->status = NULL;
	memphis_thread_resume();
	if (memphis_backend->recycle) {
		if (atomic_load(&thread->control) == page && status->exited)
			memphis_backend->recycle(page, status);
		return;
	}
	memphis_sample_epoch_pause();
	sys_unmap(status, thread->ring_bytes);
	memphis_sample_epoch_resume();
	/*
	 * If the record does not refer to the page any more, the thread may still run, and may be about to
	 * write its region to the page, whose address it has read before. The address must then remain mapped.
	 */
	if (atomic_load(&thread->control) == page)
		sys_unmap(page, MEMPHIS_PAGE_BYTES);
	else
		sys_unmap_in_use(page, MEMPHIS_PAGE_BYTES);
}
