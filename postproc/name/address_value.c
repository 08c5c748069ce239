// SPDX-License-Identifier: BSD-3-Clause
/* Arithmetic on what is known about the values of registers. */
#include "name/address_value.h"

#include "dwarf/type/type_leaves.h"

/* Larger steps and offsets are not those of members. */
#define FACTOR_MAX (1u << 30)

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

struct memphis_value memphis_value_number(int64_t offset, uint64_t step)
{
	return (struct memphis_value){.kind = MEMPHIS_VALUE_NUMBER, .offset = offset, .step = step};
}

static uint64_t magnitude(int64_t factor)
{
	return factor < 0 ? -(uint64_t)factor : (uint64_t)factor;
}

static bool is_factor(int64_t factor)
{
	return factor > -(int64_t)FACTOR_MAX && factor < (int64_t)FACTOR_MAX;
}

/* Adds the part of the sum that varies. */
static void add_step(struct memphis_value *result, const struct memphis_value *number, bool minus)
{
	const int64_t factor = minus ? -number->factor : number->factor;

	if (number->origin && number->origin == result->origin && number->factor &&
	    is_factor(result->factor + factor)) {
		result->factor += factor;
		result->step = number->step / magnitude(number->factor) * magnitude(result->factor);
		result->origin = result->factor ? result->origin : 0;
		return;
	}
	if (!result->step) {
		result->origin = number->origin;
		result->factor = factor;
	} else if (number->step) {
		result->origin = 0;
	}
	result->step = gcd(result->step, number->step);
}

static struct memphis_value sum(const struct memphis_value *address, const struct memphis_value *number,
				bool minus)
{
	struct memphis_value result = *address;
	const uint64_t offset = (uint64_t)number->offset;

	result.offset = (int64_t)((uint64_t)address->offset + (minus ? -offset : offset));
	add_step(&result, number, minus);
	return result;
}

/* The thread pointer and the distance of a variable from it are the address of the variable. */
static bool is_thread_address(const struct memphis_value *a, const struct memphis_value *b)
{
	return a->kind == MEMPHIS_VALUE_THREAD_POINTER && b->kind == MEMPHIS_VALUE_THREAD_DISTANCE;
}

struct memphis_value memphis_value_add(const struct memphis_value *a, const struct memphis_value *b)
{
	struct memphis_value result;

	if (is_thread_address(a, b) || is_thread_address(b, a)) {
		result = sum(a, b, false);
		result.kind = MEMPHIS_VALUE_THREAD;
		return result;
	}
	if (b->kind == MEMPHIS_VALUE_NUMBER && a->kind != MEMPHIS_VALUE_UNKNOWN)
		return sum(a, b, false);
	if (a->kind == MEMPHIS_VALUE_NUMBER && b->kind != MEMPHIS_VALUE_UNKNOWN)
		return sum(b, a, false);
	return (struct memphis_value){0};
}

struct memphis_value memphis_value_subtract(const struct memphis_value *a, const struct memphis_value *b)
{
	if (b->kind == MEMPHIS_VALUE_NUMBER && a->kind != MEMPHIS_VALUE_UNKNOWN)
		return sum(a, b, true);
	return (struct memphis_value){0};
}

struct memphis_value memphis_value_multiply(const struct memphis_value *a, uint64_t factor)
{
	const int64_t most = INT64_MAX / FACTOR_MAX;
	struct memphis_value result;

	if (factor > FACTOR_MAX)
		return memphis_value_number(0, 1);
	if (a->kind != MEMPHIS_VALUE_NUMBER || a->offset <= -most || a->offset >= most ||
	    a->step >= FACTOR_MAX)
		return memphis_value_number(0, factor);
	result = memphis_value_number(a->offset * (int64_t)factor, a->step * factor);
	if (a->origin && is_factor(a->factor) && is_factor(a->factor * (int64_t)factor)) {
		result.origin = a->origin;
		result.factor = a->factor * (int64_t)factor;
	}
	return result;
}

static bool is_null(const struct memphis_value *value)
{
	return value->kind == MEMPHIS_VALUE_NUMBER && !value->offset && !value->step;
}

struct memphis_value memphis_value_join(const struct memphis_value *a, const struct memphis_value *b)
{
	struct memphis_value result = *a;
	uint64_t between;

	if (is_null(a) && b->kind == MEMPHIS_VALUE_POINTER)
		return *b;
	if (is_null(b) && a->kind == MEMPHIS_VALUE_POINTER)
		return *a;
	if (a->kind != b->kind || a->kind == MEMPHIS_VALUE_UNKNOWN ||
	    (a->kind == MEMPHIS_VALUE_POINTER && !memphis_type_same(&a->object, &b->object)))
		return (struct memphis_value){0};
	between = (uint64_t)a->offset - (uint64_t)b->offset;
	if (a->offset < b->offset)
		between = -between;
	result.step = gcd(gcd(a->step, b->step), between);
	if (a->origin != b->origin || a->factor != b->factor || between)
		result.origin = 0;
	return result;
}

bool memphis_value_same(const struct memphis_value *a, const struct memphis_value *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->step == b->step && a->origin == b->origin &&
	       (!a->origin || a->factor == b->factor) && a->object.addr == b->object.addr;
}
