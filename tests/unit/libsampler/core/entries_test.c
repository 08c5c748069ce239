/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are overwritten with a jump: whether that is recognised, and where the jump leads. The code is data here, and never runs. */
#include "core/entries.h"
#include "../../tap.h"

static unsigned char code[MEMPHIS_ENTRIES][32];

/* Overwrites the first bytes of a function. */
static void overwrite(int number, const void *bytes, size_t count)
{
	memcpy(code[number], bytes, count);
}

static __u64 address_of(const unsigned char *at)
{
	return (__u64)(uintptr_t)at;
}

static void test_unknown(void)
{
	is(memphis_entry_is_overwritten(MEMPHIS_ENTRY_MMAP), 0,
	   "a function whose bytes were not kept is not overwritten");
	is(memphis_entries_bypassed(), 0, "and none is bypassed");
}

static void test_jumps(void)
{
	static const unsigned char by_r11[] = {0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x41, 0xff, 0xe3};
	static const unsigned char by_rax[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0xb8, 1,    2,
					       3,    4,    5,    6,    7,    8,    0xff, 0xe0};
	static const unsigned char relative[] = {0xe9, 0xf0, 0xff, 0xff, 0xff};
	static const unsigned char by_word[] = {0xff, 0x25, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
	static const unsigned char trap[] = {0xcc};
	const void *all[MEMPHIS_ENTRIES];
	int i;

	for (i = 0; i < MEMPHIS_ENTRIES; i++) {
		memset(code[i], 0x90, sizeof(code[i]));
		all[i] = code[i];
	}
	memphis_entries_keep(all);
	is(memphis_entries_look(), 0, "no function is overwritten");

	overwrite(MEMPHIS_ENTRY_MMAP, by_r11, sizeof(by_r11));
	is(memphis_entry_is_overwritten(MEMPHIS_ENTRY_MMAP), 1, "a jump by r11 is recognised");
	is(memphis_entry_hook(MEMPHIS_ENTRY_MMAP), 0x0807060504030201,
	   "and leads to the address in the code");
	overwrite(MEMPHIS_ENTRY_MUNMAP, by_rax, sizeof(by_rax));
	is(memphis_entry_hook(MEMPHIS_ENTRY_MUNMAP), 0x0807060504030201, "so does one by rax, after endbr64");
	overwrite(MEMPHIS_ENTRY_MREMAP, relative, sizeof(relative));
	is(memphis_entry_hook(MEMPHIS_ENTRY_MREMAP), address_of(code[MEMPHIS_ENTRY_MREMAP]) + 5 - 16,
	   "a relative jump leads to the distance from its end");
	overwrite(MEMPHIS_ENTRY_SHMAT, by_word, sizeof(by_word));
	is(memphis_entry_hook(MEMPHIS_ENTRY_SHMAT), 0x0807060504030201,
	   "a jump by a word leads to its contents");
	overwrite(MEMPHIS_ENTRY_SHMDT, trap, sizeof(trap));
	is(memphis_entry_is_overwritten(MEMPHIS_ENTRY_SHMDT), 1, "another instruction is recognised");
	is(memphis_entry_hook(MEMPHIS_ENTRY_SHMDT), 0, "and its target is not known");
	is(memphis_entries_look(), 0x1f, "all of these are overwritten");
}

static void test_bypassed(void)
{
	static const unsigned char original[] = {0x90};

	is(memphis_entries_bypassed(), 0x1f,
	   "as long as no system call is seen, all overwritten functions are bypassed");
	atomic_store(&memphis_entries_seen, 1u << MEMPHIS_ENTRY_MUNMAP);
	is(memphis_entries_bypassed(), 0,
	   "a system call in place of one function shows that the hooks don't bypass");
	overwrite(MEMPHIS_ENTRY_BRK, "\xe9", 1);
	is(memphis_entries_bypassed(), 1u << MEMPHIS_ENTRY_BRK, "but says nothing of the break");
	overwrite(MEMPHIS_ENTRY_SHMDT, original, sizeof(original));
	is(memphis_entry_is_overwritten(MEMPHIS_ENTRY_SHMDT), 0,
	   "a function that is restored is not overwritten");
	is(memphis_entries_look(), 0x5f, "that it was is remembered");
}

int main(void)
{
	test_unknown();
	test_jumps();
	test_bypassed();
	return finish();
}
