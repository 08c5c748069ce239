// SPDX-License-Identifier: BSD-3-Clause
/* The forms of call instructions. If this fails, chains of callers are cut at calls, or run on where there is no call. */
#include "name/calls.h"

#include <stdbool.h>

#include "../../tap.h"

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__})

/* Returns the length of the call at the end of seven bytes, which begin with no-operations; negative if it is direct. */
static int length_of(const uint8_t *call, size_t bytes)
{
	uint8_t code[MEMPHIS_CALL_BYTES];
	unsigned int length;
	bool direct;

	memset(code, 0x90, sizeof(code));
	memcpy(code + sizeof(code) - bytes, call, bytes);
	length = memphis_call_before(code, sizeof(code), false, &direct);
	return direct ? -(int)length : (int)length;
}

#define LENGTH(...) length_of(BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))

/* The encodings are those of GNU as. */
static void knows_calls(void)
{
	ok(LENGTH(0xe8, 0, 0, 0, 0) == -5, "call rel32");
	ok(LENGTH(0x67, 0xe8, 1, 2, 3, 4) == -5, "addr32 call rel32");
	ok(LENGTH(0xff, 0xd0) == 2, "call *%%rax");
	ok(LENGTH(0x41, 0xff, 0xd7) == 2, "call *%%r15");
	ok(LENGTH(0x3e, 0xff, 0xd2) == 2, "notrack call *%%rdx");
	ok(LENGTH(0xff, 0x10) == 2, "call *(%%rax)");
	ok(LENGTH(0xff, 0x14, 0x24) == 3, "call *(%%rsp)");
	ok(LENGTH(0x41, 0xff, 0x14, 0xc4) == 3, "call *(%%r12,%%rax,8)");
	ok(LENGTH(0xff, 0x50, 0x18) == 3, "call *0x18(%%rax)");
	ok(LENGTH(0xff, 0x54, 0xc3, 0x08) == 4, "call *8(%%rbx,%%rax,8)");
	ok(LENGTH(0xff, 0x15, 1, 2, 3, 4) == 6, "call *0x4030201(%%rip)");
	ok(LENGTH(0xff, 0x90, 0, 1, 0, 0) == 6, "call *0x100(%%rax)");
	ok(LENGTH(0xff, 0x94, 0x24, 0, 1, 0, 0) == 7, "call *0x100(%%rsp)");
	ok(LENGTH(0xff, 0x14, 0xc5, 0, 1, 0, 0) == 7, "call *0x100(,%%rax,8)");
}

static void knows_other_instructions(void)
{
	ok(LENGTH(0xe9, 0, 0, 0, 0) == 0, "jmp rel32 is no call");
	ok(LENGTH(0xff, 0xe0) == 0, "jmp *%%rax is no call");
	ok(LENGTH(0xff, 0x25, 0, 0, 0, 0) == 0, "jmp *0(%%rip) is no call");
	ok(LENGTH(0xff, 0x18) == 0, "a far call is none that compilers use");
	ok(LENGTH(0xff, 0xc0) == 0, "inc %%eax is no call");
	ok(LENGTH(0x48, 0x89, 0xd0) == 0, "mov %%rdx,%%rax is no call");
	ok(LENGTH(0xff, 0x50) == 0, "a call whose displacement is behind the address");
	ok(LENGTH(0xe8, 0, 0, 0) == 0, "a direct call of four bytes");
}

static void knows_second_readings(void)
{
	static const uint8_t both[] = {0xe8, 0, 0, 0xff, 0xd0};
	bool direct;

	ok(memphis_call_before(both, sizeof(both), false, &direct) == 5 && direct,
	   "the direct reading is the first");
	ok(memphis_call_before(both, sizeof(both), true, &direct) == 2 && !direct,
	   "the indirect one is the second");
}

int main(void)
{
	knows_calls();
	knows_other_instructions();
	knows_second_readings();
	return finish();
}
