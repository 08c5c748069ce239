/* SPDX-License-Identifier: BSD-3-Clause */
/* What settings become on each hardware. If one fails, samples beat in time with the loops that they are taken from. */
#include "../../tap.h"
#include "settings/hardware.h"

static const struct memphis_query ibs = {
	.hardware = MEMPHIS_HARDWARE_IBS, .period_min = 1024, .period_max = 0x7ffffe0, .period_step = 16};
static const struct memphis_query pebs = {
	.hardware = MEMPHIS_HARDWARE_PEBS, .period_min = 101, .period_max = 0x7fffffff, .period_step = 1};

static void check_ibs(void)
{
	is(memphis_hardware_period(&ibs, 1048592), 1048592, "IBS: a multiple of its step is taken as it is");
	is(memphis_hardware_period(&ibs, 1000000), 1000000, "prime or not");
	is(memphis_hardware_period(&ibs, 65543), 65536, "others become the nearest multiple");
	is(memphis_hardware_period(&ibs, 65544), 65552, "above or below");
	is(memphis_hardware_period(&ibs, 1), 1024, "less than the least is the least");
	is(memphis_hardware_period(&ibs, 1ull << 40), 0x7ffffe0, "more than the most is the most");
	is(memphis_hardware(MEMPHIS_HARDWARE_IBS)->period % 16, 0, "the default is a multiple");
}

static void check_pebs(void)
{
	is(memphis_hardware_period(&pebs, 20011), 20011, "PEBS: a prime is taken as it is");
	is(memphis_hardware_period(&pebs, 32768), 32771, "others become the nearest prime: above");
	is(memphis_hardware_period(&pebs, 10000), 10007, "above, with nothing nearer below");
	is(memphis_hardware_period(&pebs, 1000), 997, "or below");
	is(memphis_hardware_period(&pebs, 1), 101, "not below the least");
	is(memphis_hardware_period(&pebs, 1ull << 40), 0x7fffffff, "nor above the most, which is prime");
	is(memphis_hardware_period(&pebs, 25), 101, "a square of a prime is none, but too small here");
	is(memphis_hardware_period(&pebs, 10201), 10193, "a square of a prime is none");
	is(memphis_hardware_period(&pebs, memphis_hardware(MEMPHIS_HARDWARE_PEBS)->period),
	   memphis_hardware(MEMPHIS_HARDWARE_PEBS)->period, "the default is prime");
}

static void check_devices(void)
{
	struct memphis_query odd = {.hardware = 77};

	is_text(memphis_hardware(MEMPHIS_HARDWARE_PEBS)->name, "pebs", "hardware is found by its number");
	is_text(memphis_hardware(77)->name, "ibs", "what is not known is taken as the first");
	is(memphis_hardware_period(&odd, 4096), 0, "a device that answers nothing sensible does no harm");
	odd = (struct memphis_query){
		.hardware = MEMPHIS_HARDWARE_PEBS, .period_step = 1, .period_max = ~0ull};
	is(memphis_hardware_period(&odd, 1ull << 33), 8589934583, "nor does one with a wide counter");
}

int main(void)
{
	check_ibs();
	check_pebs();
	check_devices();
	return finish();
}
