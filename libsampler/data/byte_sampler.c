/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the random distances, in bytes, between the events that select blocks. */
#include <string.h>

#include "data/byte_sampler.h"

/* While no block is taken, a thread checks after this many bytes whether the mean distance has changed. */
#define IDLE_BYTES (1u << 20)
#define LOG_2      0.69314718055994530942

__u64 memphis_small_mean;
__thread struct memphis_byte_sampler memphis_own_sampler
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static __u64 next_random(__u64 *state)
{
	__u64 value = *state += 0x9e3779b97f4a7c15u;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

/*
 * Returns -log(number / 2^53) for 0 < number <= 2^53. Does not call libm, because the program may not have
 * loaded it. The mantissa is between 1/sqrt(2) and sqrt(2), so these terms of the series of atanh() give the
 * precision of a double.
 */
static double negative_log(__u64 number)
{
	double mantissa = (double)number, s, z;
	__u64 bits;
	int exponent;

	memcpy(&bits, &mantissa, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ~(0xfffull << 52)) | 1023ull << 52;
	memcpy(&mantissa, &bits, sizeof(bits));
	if (mantissa > 1.4142135623730951) {
		mantissa /= 2;
		exponent++;
	}
	s = (mantissa - 1) / (mantissa + 1);
	z = s * s;
	return (53 - exponent) * LOG_2 -
	       2 * s *
		       (1 + z * (1. / 3 +
				 z * (1. / 5 +
				      z * (1. / 7 + z * (1. / 9 + z * (1. / 11 + z * (1. / 13 + z / 15)))))));
}

/*
 * Returns a distance with an exponential distribution, rounded down. Rounding does not change the result: a
 * block is taken if the distance is below its size, and the size is an integer.
 */
static __u64 draw_distance(struct memphis_byte_sampler *sampler)
{
	return (__u64)(negative_log((next_random(&sampler->state) >> 11) + 1) * (double)sampler->mean);
}

__u64 memphis_byte_sampler_takes(struct memphis_byte_sampler *sampler, __u64 bytes)
{
	__u64 mean = __atomic_load_n(&memphis_small_mean, __ATOMIC_RELAXED), taken_at = sampler->mean;

	sampler->mean = mean;
	if (!mean) {
		sampler->left = IDLE_BYTES;
		return 0;
	}
	if (!sampler->state)
		sampler->state = __builtin_ia32_rdtsc() ^ (__u64)(uintptr_t)sampler << 20;
	if (!taken_at) {
		taken_at = mean;
		sampler->left = draw_distance(sampler);
		if (!memphis_byte_sampler_pass(sampler, bytes))
			return 0;
	}
	/*
	 * The exponential distribution is memoryless, so the distance from the end of this block to the next
	 * event has the same distribution.
	 */
	sampler->left = draw_distance(sampler);
	return taken_at;
}

void memphis_small_double_mean(void)
{
	__u64 mean = __atomic_load_n(&memphis_small_mean, __ATOMIC_RELAXED);

	/* If another thread sets the mean to 0 at the same time, it stays 0. */
	__atomic_compare_exchange_n(&memphis_small_mean, &mean, 2 * mean, 0, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}
