// SPDX-License-Identifier: GPL-2.0-only
/*
 * memphis.ko samples the memory accesses of user threads, and records the NUMA node that owns the data.
 * This file initialises the parts of the module in order, and tears them down in reverse order.
 */
#include <linux/module.h>

#include <memphis/version.h>

#include "audit.h"
#include "controllers/controllers.h"
#include "device.h"
#include "owner.h"
#include "pmu.h"
#include "requests.h"
#include "thread_counters.h"

static int __init memphis_init(void)
{
	int error;

	error = memphis_pmu_find();
	if (error)
		return error;
	memphis_counters_find();
	error = memphis_owner_init();
	if (error)
		goto exit_pmu;
	error = memphis_sampler_init();
	if (error)
		goto exit_owner;
	error = memphis_device_register();
	if (error)
		goto exit_sampler;
	memphis_controllers_init();
	memphis_pmu_announce();
	return 0;

exit_sampler:
	memphis_sampler_exit();
exit_owner:
	memphis_owner_exit();
exit_pmu:
	memphis_pmu_exit();
	return error;
}

static void __exit memphis_exit(void)
{
	memphis_device_unregister();
	memphis_audit_exit();
	memphis_controllers_exit();
	memphis_sampler_exit();
	memphis_owner_exit();
	memphis_pmu_exit();
}

module_init(memphis_init);
module_exit(memphis_exit);

MODULE_DESCRIPTION("Samples of memory accesses by variable and NUMA node, through perf");
MODULE_AUTHOR("The Memphis authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(MEMPHIS_VERSION);
