/* SPDX-License-Identifier: BSD-3-Clause */
/* The period that each hardware uses for a requested one. If a test fails, periods can resonate with the loops that are sampled. */
#include "../../tap.h"
#include "settings/hardware.h"

static const struct memphis_query ibs = {
	.hardware = MEMPHIS_HARDWARE_IBS, .period_min = 1024, .period_max = 0x7ffffe0, .period_step = 16};
static const struct memphis_query pebs = {
	.hardware = MEMPHIS_HARDWARE_PEBS, .period_min = 101, .period_max = 0x7fffffff, .period_step = 1};

static void check_ibs(void)
{
	is(memphis_hardware_period(&ibs, 1048592), 1048592, "IBS: a multiple of the step is used unchanged");
	is(memphis_hardware_period(&ibs, 1000000), 1000000,
	   "IBS: a round multiple of the step is used unchanged");
	is(memphis_hardware_period(&ibs, 65543), 65536,
	   "IBS: other periods are rounded down to the nearest multiple");
	is(memphis_hardware_period(&ibs, 65544), 65552,
	   "IBS: other periods are rounded up to the nearest multiple");
	is(memphis_hardware_period(&ibs, 1), 1024, "IBS: the minimum is used instead of a smaller period");
	is(memphis_hardware_period(&ibs, 1ull << 40), 0x7ffffe0,
	   "IBS: the maximum is used instead of a larger period");
	is(memphis_hardware(MEMPHIS_HARDWARE_IBS)->period % 16, 0,
	   "IBS: the default is a multiple of the step");
}

static void check_pebs(void)
{
	is(memphis_hardware_period(&pebs, 20011), 20011, "PEBS: a prime is used unchanged");
	is(memphis_hardware_period(&pebs, 32768), 32771,
	   "PEBS: other periods are moved up to the nearest prime");
	is(memphis_hardware_period(&pebs, 10000), 10007,
	   "PEBS: the nearest prime above is used if none below is nearer");
	is(memphis_hardware_period(&pebs, 1000), 997,
	   "PEBS: other periods are moved down to the nearest prime");
	is(memphis_hardware_period(&pebs, 1), 101, "PEBS: the minimum is used instead of a smaller period");
	is(memphis_hardware_period(&pebs, 1ull << 40), 0x7fffffff,
	   "PEBS: the maximum, a prime, is used instead of a larger period");
	is(memphis_hardware_period(&pebs, 25), 101,
	   "PEBS: the minimum is used instead of a small square of a prime");
	is(memphis_hardware_period(&pebs, 10201), 10193, "PEBS: the square of a prime is moved to a prime");
	is(memphis_hardware_period(&pebs, memphis_hardware(MEMPHIS_HARDWARE_PEBS)->period),
	   memphis_hardware(MEMPHIS_HARDWARE_PEBS)->period, "PEBS: the default is prime");
}

static void check_devices(void)
{
	struct memphis_query odd = {.hardware = 77};

	is_text(memphis_hardware(MEMPHIS_HARDWARE_PEBS)->name, "pebs", "hardware is found by its number");
	is_text(memphis_hardware(77)->name, "ibs", "unknown hardware is treated as IBS");
	is(memphis_hardware_period(&odd, 4096), 0, "a device whose limits are all zero yields a period of 0");
	odd = (struct memphis_query){
		.hardware = MEMPHIS_HARDWARE_PEBS, .period_step = 1, .period_max = ~0ull};
	is(memphis_hardware_period(&odd, 1ull << 33), 8589934583,
	   "a device with a 64-bit counter yields a prime");
}

/* A ring of 8192 records and its thread take 360448 bytes; each stack 552. */
static void check_stacks(void)
{
	struct memphis_query query = {.ring_budget_bytes = 256 << 20};
	struct memphis_config config = {.ring_records = 8192, .stack_bytes = 512};

	is(memphis_hardware_stacks(&query, &config, 1), 512, "stacks: a sixteenth of the records");
	is(memphis_hardware_stacks(&query, &config, 256), 512,
	   "stacks: as many if each of 256 CPUs has a thread");
	is(memphis_hardware_stacks(&query, &config, 512), 32,
	   "stacks: fewer if the threads of 512 CPUs would exceed three quarters of the budget");
	is(memphis_hardware_stacks(&query, &config, 4096), 1,
	   "stacks: one if the threads would exceed it without them");
	query.ring_budget_bytes = 1 << 30;
	is(memphis_hardware_stacks(&query, &config, 512), 512, "stacks: more with a larger budget");
	config.ring_records = 8;
	is(memphis_hardware_stacks(&query, &config, 1), 1, "stacks: at least one");
}

int main(void)
{
	check_stacks();
	check_ibs();
	check_pebs();
	check_devices();
	return finish();
}
