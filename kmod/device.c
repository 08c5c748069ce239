// SPDX-License-Identifier: GPL-2.0-only
/*
 * File operations of /dev/memphis. They check that the caller owns the session, copy arguments from and to
 * user space, and pass the request to requests.c. session.h documents the lock order.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <memphis/version.h>

#include "audit.h"
#include "budget.h"
#include "controllers/controllers.h"
#include "device.h"
#include "owner.h"
#include "pmu.h"
#include "requests.h"
#include "sampler.h"
#include "session.h"
#include "stack.h"
#include "thread.h"
#include "thread_counters.h"

static int memphis_device_open(struct inode *inode, struct file *file)
{
	struct memphis_device_session *session = memphis_session_open();

	if (IS_ERR(session))
		return PTR_ERR(session);
	file->private_data = session;
	memphis_audit_open();
	return nonseekable_open(inode, file);
}

static int memphis_device_release(struct inode *inode, struct file *file)
{
	memphis_session_release(file->private_data);
	return 0;
}

static long memphis_ioctl_query(struct memphis_device_session *session, void __user *argument)
{
	const struct memphis_pmu *pmu = &memphis_pmu;
	struct memphis_query query = {
		.abi = memphis_session_abi(session),
		.hardware = pmu->hardware,
		.sampler = memphis_sampler->kind,
		.counts = pmu->counts,
		.drops = MEMPHIS_DROPS,
		.hardware_capabilities = pmu->capabilities,
		.period_min = pmu->period_min,
		.period_max = pmu->period_max,
		.period_step = pmu->period_step,
		.ring_records_max = memphis_ring_records_max(),
		.threads_max = memphis_threads_max(),
		.ring_budget_bytes = memphis_budget_bytes(),
		.events = pmu->events,
		.hardware_filters = pmu->hardware_filters,
		.filter_sampler = memphis_sampler_cpu.kind,
		.counters = memphis_counters_available(),
		.filter_period_min = pmu->filter_period_min,
		.controllers = memphis_controllers_available(),
		.stack_budget = memphis_stack_budget_bytes(),
	};

	/* Do not use THIS_MODULE->version: it is a copy made at load time, and is NULL if its allocation failed. */
	strscpy(query.version, MEMPHIS_VERSION, sizeof(query.version));
	strscpy(query.pmu, pmu->name, sizeof(query.pmu));
	return copy_to_user(argument, &query, sizeof(query)) ? -EFAULT : 0;
}

static long memphis_ioctl_agree(struct memphis_device_session *session, void __user *argument)
{
	struct memphis_agreement agreement;
	int error;

	if (copy_from_user(&agreement, argument, sizeof(agreement)))
		return -EFAULT;
	error = memphis_session_agree(session, &agreement);
	if (error)
		return error;
	return copy_to_user(argument, &agreement, sizeof(agreement)) ? -EFAULT : 0;
}

static long memphis_ioctl_configure(struct memphis_device_session *session, void __user *argument)
{
	struct memphis_config config;

	if (copy_from_user(&config, argument, sizeof(config)))
		return -EFAULT;
	return memphis_session_configure(session, &config);
}

static long memphis_ioctl_attach(struct memphis_device_session *session, void __user *argument)
{
	struct memphis_attach attach;
	long error;

	if (copy_from_user(&attach, argument, sizeof(attach)))
		return -EFAULT;
	error = memphis_session_attach(session, &attach);
	if (error)
		return error;
	if (copy_to_user(argument, &attach, sizeof(attach))) {
		/*
		 * The caller gets no offsets, so undo the attachment. Ignore -ESRCH, which means that another
		 * thread has already detached this one.
		 */
		memphis_session_detach(session, attach.tid);
		return -EFAULT;
	}
	return 0;
}

static long memphis_ioctl_detach(struct memphis_device_session *session, void __user *argument)
{
	s32 tid;

	if (get_user(tid, (s32 __user *)argument))
		return -EFAULT;
	return memphis_session_detach(session, tid);
}

static long memphis_ioctl_stats(struct memphis_device_session *session, void __user *argument)
{
	struct memphis_stats stats;

	memphis_session_stats(session, &stats);
	return copy_to_user(argument, &stats, sizeof(stats)) ? -EFAULT : 0;
}

static long memphis_ioctl_read(struct memphis_device_session *session, void __user *argument)
{
	struct memphis_reading counters = {};
	int error = memphis_counters_read(session, &counters);

	if (error)
		return error;
	return copy_to_user(argument, &counters, sizeof(counters)) ? -EFAULT : 0;
}

static long memphis_ioctl_controllers(struct memphis_device_session *session, void __user *argument)
{
	struct memphis_controllers *traffic = kzalloc(sizeof(*traffic), MEMPHIS_GFP);
	long error;

	if (!traffic)
		return -ENOMEM;
	error = memphis_controllers_read(session, traffic);
	if (!error && copy_to_user(argument, traffic, sizeof(*traffic)))
		error = -EFAULT;
	kfree(traffic);
	return error;
}

static long memphis_device_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
	struct memphis_device_session *session = file->private_data;
	void __user *pointer = (void __user *)argument;

	if (!memphis_session_owned_by_current(session))
		return -EPERM;
	switch (request) {
	case MEMPHIS_IOC_QUERY:
		return memphis_ioctl_query(session, pointer);
	case MEMPHIS_IOC_AGREE:
		return memphis_ioctl_agree(session, pointer);
	case MEMPHIS_IOC_CONFIGURE:
		return memphis_ioctl_configure(session, pointer);
	case MEMPHIS_IOC_ATTACH:
		return memphis_ioctl_attach(session, pointer);
	case MEMPHIS_IOC_DETACH:
		return memphis_ioctl_detach(session, pointer);
	case MEMPHIS_IOC_START:
		return memphis_session_start(session);
	case MEMPHIS_IOC_STOP:
		return memphis_session_stop(session);
	case MEMPHIS_IOC_STATS:
		return memphis_ioctl_stats(session, pointer);
	case MEMPHIS_IOC_READ:
		return memphis_ioctl_read(session, pointer);
	case MEMPHIS_IOC_CONTROLLERS:
		return memphis_ioctl_controllers(session, pointer);
	default:
		return -ENOTTY;
	}
}

static __poll_t memphis_device_poll(struct file *file, poll_table *table)
{
	struct memphis_device_session *session = file->private_data;

	if (!memphis_session_owned_by_current(session))
		return EPOLLERR;
	poll_wait(file, &session->wait, table);
	return memphis_session_is_due(session) ? EPOLLIN | EPOLLRDNORM : 0;
}

/*
 * Each mapping of a thread's area holds a reference to the thread. The reference keeps the area allocated and
 * charged to the user. The session's control page belongs to no thread.
 */
static void memphis_area_open(struct vm_area_struct *vma)
{
	struct memphis_device_thread *thread = vma->vm_private_data;

	if (thread)
		kref_get(&thread->ref);
	memphis_owner_mapped(vma);
}

static void memphis_area_close(struct vm_area_struct *vma)
{
	struct memphis_device_thread *thread = vma->vm_private_data;

	if (thread)
		memphis_thread_put(thread);
	memphis_owner_unmapped(vma);
}

static const struct vm_operations_struct memphis_area_operations = {
	.open = memphis_area_open,
	.close = memphis_area_close,
};

static int memphis_map_thread(struct memphis_device_session *session, struct vm_area_struct *vma, u64 offset)
{
	struct memphis_device_thread *thread;
	u64 slot = (offset >> 32) - 1;
	int error = -EINVAL;

	if (offset >> 32 == 0 || slot > U32_MAX)
		return -EINVAL;
	thread = memphis_session_get_thread(session, slot);
	if (!thread)
		return -EINVAL;
	if (offset == memphis_slot_offset(slot))
		error = memphis_control_map(thread->ring.control, vma);
	else if (offset == memphis_slot_offset(slot) + MEMPHIS_PAGE_BYTES)
		error = memphis_ring_map(&thread->ring, vma);
	if (error) {
		memphis_thread_put(thread);
		return error;
	}
	/* The mapping takes over the reference from memphis_session_get_thread(). */
	vma->vm_private_data = thread;
	return 0;
}

static int memphis_device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct memphis_device_session *session = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	int error;

	if (!memphis_session_owned_by_current(session))
		return -EPERM;
	/* Test VM_MAYSHARE and not VM_SHARED, because the kernel clears VM_SHARED if the file was opened for reading only. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	error = offset ? memphis_map_thread(session, vma, offset)
		       : memphis_control_map(session->control, vma);
	if (error)
		return error;
	vma->vm_ops = &memphis_area_operations;
	memphis_owner_mapped(vma);
	return 0;
}

static const struct file_operations memphis_device_operations = {
	.owner = THIS_MODULE,
	.open = memphis_device_open,
	.release = memphis_device_release,
	.unlocked_ioctl = memphis_device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = memphis_device_poll,
	.mmap = memphis_device_mmap,
};

/*
 * The device has its own major number instead of misc_register(). All miscellaneous devices share a lock, which the
 * kernel holds while it opens one of them. Opening a session charges memory to the opener's cgroup, and may take
 * seconds if that cgroup has reached its limit. Meanwhile, nobody could open /dev/fuse or /dev/kvm.
 */
static int memphis_major __ro_after_init;

static struct class memphis_class = {
	.name = "memphis",
};

/* The device is accessible by root only, until the site's udev rule changes the mode. */
int memphis_device_register(void)
{
	struct device *device;
	int major, error;

	error = class_register(&memphis_class);
	if (error)
		return error;
	major = __register_chrdev(0, 0, 1, "memphis", &memphis_device_operations);
	if (major < 0) {
		error = major;
		goto unregister_class;
	}
	device = device_create(&memphis_class, NULL, MKDEV(major, 0), NULL, "memphis");
	if (IS_ERR(device)) {
		error = PTR_ERR(device);
		goto unregister_number;
	}
	memphis_major = major;
	return 0;

unregister_number:
	__unregister_chrdev(major, 0, 1, "memphis");
unregister_class:
	class_unregister(&memphis_class);
	return error;
}

void memphis_device_unregister(void)
{
	device_destroy(&memphis_class, MKDEV(memphis_major, 0));
	__unregister_chrdev(memphis_major, 0, 1, "memphis");
	class_unregister(&memphis_class);
}
