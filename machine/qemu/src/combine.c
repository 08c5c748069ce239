/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write-combining buffers: see combine.h. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "combine.h"

static void write_buffer(Combine *c, CacheCpu *cpu, unsigned at)
{
	const CombineBuffer b = c->buffers[at];

	c->used--;
	memmove(&c->buffers[at], &c->buffers[at + 1], (c->used - at) * sizeof(b));
	/* Another CPU may have loaded the line meanwhile. */
	cachemodel_clean(cpu, b.line, false);
	memory_bypassed(cpu->memory, b.line, cachemodel_home(b.line << CACHE_LINE_SHIFT), ctpop64(b.bytes),
			b.who);
}

static unsigned find_buffer(const Combine *c, uint64_t line)
{
	unsigned at;

	for (at = 0; at < c->used && c->buffers[at].line != line; at++) {
	}
	return at;
}

bool combine_store(Combine *c, CacheCpu *cpu, uint64_t line, uint64_t bytes, bool user, uint32_t who)
{
	unsigned at = find_buffer(c, line);
	bool opened = at == c->used;

	if (opened) {
		if (c->used == COMBINE_BUFFERS) {
			write_buffer(c, cpu, 0);
		}
		at = c->used++;
		c->buffers[at] = (CombineBuffer){.line = line};
		/* No access of this CPU finds the line in its caches any more, so that none bypasses the buffer. */
		cachemodel_clean(cpu, line, false);
	}
	c->buffers[at].bytes |= bytes;
	c->buffers[at].user = user;
	c->buffers[at].who = who;
	if (c->buffers[at].bytes == UINT64_MAX) {
		write_buffer(c, cpu, at);
	}
	return opened;
}

void combine_leave(Combine *c, CacheCpu *cpu, uint64_t line)
{
	unsigned at = find_buffer(c, line);

	if (at < c->used) {
		write_buffer(c, cpu, at);
	}
}

void combine_fence(Combine *c, CacheCpu *cpu, bool user)
{
	unsigned at = 0;

	while (at < c->used) {
		if (c->buffers[at].user == user) {
			write_buffer(c, cpu, at);
		} else {
			at++;
		}
	}
}

void combine_drain(Combine *c, CacheCpu *cpu)
{
	while (c->used) {
		write_buffer(c, cpu, 0);
	}
}
