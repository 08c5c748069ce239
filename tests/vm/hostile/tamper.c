// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread writes to every writable field of the control pages as fast as it can, while another is sampled.
 * In each snapshot the accounting must balance, heads may only rise, and every sample must be complete.
 * usage: tamper
 */
#define _GNU_SOURCE
#include "common.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES (1u << 20)
#define LOADS 1000000u

static struct thread_map map;
static struct memphis_control *session;
static int ended;
static uint64_t *buffer;

/* Bit patterns close to the kernel's values and far from them. */
static uint64_t pattern(unsigned int number)
{
	uint64_t head = __atomic_load_n(&map.status->head, __ATOMIC_RELAXED);

	switch (number % 8) {
	case 0:
		return 1ULL << (number / 8 % 64);
	case 1:
		return ~(1ULL << (number / 8 % 64));
	case 2:
		return head + number / 8 % 64;
	case 3:
		return head - number / 8 % 64;
	case 4:
		return head + map.capacity - 32 + number / 8 % 64;
	case 5:
		return head - map.capacity - 32 + number / 8 % 64;
	case 6:
		return ~0ULL;
	default:
		return number * 0x9e3779b97f4a7c15ULL;
	}
}

static void *write_all(void *unused)
{
	uint64_t *words = (uint64_t *)map.control, *session_words = (uint64_t *)session;

	run_on(1);
	for (unsigned int number = 0; !__atomic_load_n(&ended, __ATOMIC_RELAXED); number++) {
		__atomic_store_n(&map.control->tail, pattern(number), __ATOMIC_RELAXED);
		/* The high half distinguishes these region numbers from real ones. */
		__atomic_store_n(&map.control->region, 0xabcd0000 | (number & 0xffff), __ATOMIC_RELAXED);
		__atomic_store_n(&session->region, 0xabcd0000 | (number & 0xffff), __ATOMIC_RELAXED);
		__atomic_store_n(&words[20 + number % 490], pattern(number), __ATOMIC_RELAXED);
		__atomic_store_n(&session_words[20 + number % 490], pattern(number), __ATOMIC_RELAXED);
		if (number % 4 == 0) /* correct tails, or nothing would be kept */
			__atomic_store_n(&map.control->tail,
					 __atomic_load_n(&map.status->head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
	}
	return unused;
}

struct watch {
	uint64_t snapshots, unbalanced, backward;
};

static void *watch_books(void *result)
{
	struct watch *watch = result;
	struct memphis_accounting last = {0}, accounting;

	run_on(2);
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
		accounting = read_books(&map);
		watch->snapshots++;
		watch->unbalanced += books_sum(&accounting) != accounting.interrupts;
		watch->backward += accounting.interrupts < last.interrupts || accounting.kept < last.kept ||
				   accounting.lost < last.lost;
		last = accounting;
	}
	return NULL;
}

static void *poll_always(void *fd)
{
	struct pollfd file = {.fd = (int)(intptr_t)fd, .events = POLLIN};

	run_on(3);
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED))
		poll(&file, 1, 1);
	return NULL;
}

static bool is_whole(const struct memphis_sample *sample, unsigned int cpu)
{
	return sample->time_ns && sample->pc && sample->pc < 0x7fffffffffff &&
	       sample->address < 0x7fffffffffff && (sample->region >> 16 == 0xabcd) &&
	       sample->source < MEMPHIS_SOURCES && !(sample->flags & ~MEMPHIS_FLAGS) &&
	       (sample->flags & (MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_STORE)) && sample->cpu == cpu &&
	       sample->node == cpu / 2;
}

int main(void)
{
	struct memphis_config config;
	struct watch watch = {0};
	pthread_t threads[3];
	struct memphis_accounting accounting;
	uint64_t whole = 0, looked_at;
	int fd = open_device();

	buffer = buffer_on(0, BYTES);
	config = shortest_config(fd);
	config.ring_records = 64;
	config.wakeup_records = 1;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	session = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(session != MAP_FAILED, "map of the session's page");
	map = attach_mapped(fd, 0, &config);
	map.control->region = 0xabcd0000;
	need(!pthread_create(&threads[0], NULL, write_all, NULL), "thread");
	need(!pthread_create(&threads[1], NULL, watch_books, &watch), "thread");
	need(!pthread_create(&threads[2], NULL, poll_always, (void *)(intptr_t)fd), "thread");
	run_on(0);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	walk(buffer, BYTES, LOADS);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);

	accounting = read_books(&map);
	check("tampering: some samples are kept and some are lost",
	      accounting.kept > 0 && accounting.lost > 0);
	check_equal("tampering: the accounting balances", books_sum(&accounting), accounting.interrupts);
	check_equal("tampering: the head equals the number of kept samples", map.status->head,
		    accounting.kept);
	check_equal("tampering: the sequence advanced twice per interrupt", map.status->sequence,
		    2 * accounting.interrupts);
	check("tampering: snapshots were taken in the meantime", watch.snapshots > 100);
	check_equal("tampering: the accounting balances in each snapshot", watch.unbalanced, 0);
	check_equal("tampering: no count ever decreased", watch.backward, 0);
	looked_at = accounting.kept < map.capacity ? accounting.kept : map.capacity;
	for (uint64_t i = 0; i < looked_at; i++)
		whole += is_whole(&map.records[i], 0);
	check_equal("tampering: each sample is complete", whole, looked_at);
	for (uint64_t i = 64 * 40; i < map.attach.ring_bytes - 4096; i++)
		need(!((const char *)map.records)[i], "the memory behind the ring is zero");
	for (uint64_t i = sizeof(struct memphis_status); i < 4096; i++)
		need(!((const char *)map.status)[i], "the memory behind the status is zero");
	check("tampering: the memory behind ring and status is zero", true);
	close_device(fd);
	return 0;
}
