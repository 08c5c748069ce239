// SPDX-License-Identifier: BSD-3-Clause
/*
 * Debug information of static and thread-local variables, as each compiler writes it: names, pointers that can hold blocks, and
 * fields. If this fails, samples get wrong names, and fields get the samples of their neighbours.
 */
#include "dwarf/variables.h"

#include <gelf.h>
#include <stdlib.h>

#include "../../tap.h"
#include "symtab.h"
#include "dwarf/pointer_variables.h"
#include "dwarf/type/types.h"
#include "dwarf/symbols.h"

static struct memphis_binaries binaries;
static struct memphis_binary *binary;
static char about[256]; /* the build under test: the prefix of every test name */

/* Opens FIXTURES/NAME. */
static bool use(const char *name)
{
	char path[4096], id[129] = "";
	const struct memphis_binary *probe;
	uint32_t number;

	snprintf(path, sizeof(path), FIXTURES "/%s", name);
	number = memphis_binaries_add(&binaries, path, id);
	probe = number == MEMPHIS_NO_BINARY ? NULL : binaries.list[number];
	binary = probe ? binaries.list[number] : NULL;
	snprintf(about, sizeof(about), "%s", name);
	return binary && binary->state == MEMPHIS_BINARY_OK && memphis_variables_of(&binaries, binary);
}

/* Returns the symbol's value; the value of a thread-local symbol is an offset. */
static uint64_t value_of(const char *wanted, bool *tls)
{
	GElf_Sym symbol;
	const bool found = find_symbol(binary->elf, wanted, &symbol);

	*tls = found && GELF_ST_TYPE(symbol.st_info) == STT_TLS;
	return found ? symbol.st_value : UINT64_MAX;
}

static const struct memphis_static *variable_at(const char *symbol, uint64_t offset)
{
	bool tls;
	uint64_t value = value_of(symbol, &tls);

	if (value == UINT64_MAX)
		return NULL;
	return (tls ? memphis_variables_find_tls : memphis_variables_find)(binary->variables, value + offset);
}

/* Expects "name" of a static variable, or "tls name" of a thread-local variable. */
static void is_named(const char *symbol, uint64_t offset, const char *want)
{
	const struct memphis_static *variable = variable_at(symbol, offset);
	char got[256], sentence[512];

	snprintf(got, sizeof(got), "%s%s", variable && variable->tls ? "tls " : "",
		 variable ? variable->name : "(none)");
	snprintf(sentence, sizeof(sentence), "%s: %s+%llu is %s", about, symbol, (unsigned long long)offset,
		 want);
	is_text(got, want, sentence);
}

static const char *const ranks[] = {"allocatable", "pointer array", "pointer", "symbol", "other", "none"};

static const char *type_name(Dwarf_Die *type)
{
	const char *name = type->addr ? dwarf_diename(type) : NULL;

	return name ? name : "?";
}

/* Expects the name for a block whose address the word holds: "rank qualified-name -> type of its elements". */
static void holds(const char *symbol, uint64_t offset, const char *want)
{
	const struct memphis_static *variable = variable_at(symbol, offset);
	struct memphis_pointer_variable holder = {.rank = MEMPHIS_POINTER_NONE};
	char got[512], sentence[768];
	bool tls;

	if (variable)
		memphis_pointer_variable_find(&binaries, binary, value_of(symbol, &tls) + offset, true,
					      &holder);
	snprintf(got, sizeof(got), "%s %s -> %s", ranks[holder.rank],
		 holder.qualified ? holder.qualified : "(none)", type_name(&holder.element));
	snprintf(sentence, sizeof(sentence), "%s: the name of a block that %s+%llu holds", about, symbol,
		 (unsigned long long)offset);
	is_text(got, want, sentence);
	memphis_pointer_variable_close(&holder);
}

static void is_field(Dwarf_Die *type, bool fortran, bool block, const char *what, uint64_t offset,
		     const char *want)
{
	struct memphis_field field;
	char got[512], sentence[768];

	snprintf(sentence, sizeof(sentence), "%s: the field at %s+%llu", about, what,
		 (unsigned long long)offset);
	if (!type->addr || memphis_type_member(type, fortran, block, offset, &field)) {
		is_text("(nothing)", want, sentence);
		return;
	}
	snprintf(got, sizeof(got), "%llu of %llu x %llu bytes, [%s] [%s] %llu+%llu",
		 (unsigned long long)field.element, (unsigned long long)field.element_count,
		 (unsigned long long)field.element_bytes, field.path, field.member,
		 (unsigned long long)field.member_offset, (unsigned long long)field.member_bytes);
	is_text(got, want, sentence);
	memphis_field_close(&field);
}

static void has(const char *symbol, uint64_t offset, const char *want)
{
	const struct memphis_static *variable = variable_at(symbol, 0);
	Dwarf_Die die = {0}, type = {0};

	if (variable)
		die = variable->die;
	if (die.addr && !memphis_type_of(&die, &type))
		type.addr = NULL;
	is_field(&type, variable && variable->fortran, false, symbol, offset, want);
}

/* Expects the field at `offset` of the block whose address the word at `slot` in the variable holds. */
static void block_has(const char *symbol, uint64_t slot, uint64_t offset, const char *want)
{
	struct memphis_pointer_variable holder;
	char what[256];
	bool tls;

	memphis_pointer_variable_find(&binaries, binary, value_of(symbol, &tls) + slot, true, &holder);
	snprintf(what, sizeof(what), "the block of %s+%llu, offset ", symbol, (unsigned long long)slot);
	is_field(&holder.element, holder.fortran, true, what, offset, want);
	memphis_pointer_variable_close(&holder);
}

/* Expects the name for a block. The component at `offset` of the block that the word at `slot` points to holds its address. */
static void block_holds(const char *symbol, uint64_t slot, uint64_t offset, uint64_t bytes, const char *want)
{
	struct memphis_pointer_variable outer, holder;
	char got[512], sentence[768];
	bool tls;

	memphis_pointer_variable_find(&binaries, binary, value_of(symbol, &tls) + slot, true, &outer);
	memphis_pointer_variable_find_in_block(&outer, offset, bytes, &holder);
	snprintf(got, sizeof(got), "%s %s", ranks[holder.rank],
		 holder.qualified ? holder.qualified : "(none)");
	snprintf(sentence, sizeof(sentence),
		 "%s: the name of a block that the word at %llu of the block of %s+%llu holds", about,
		 (unsigned long long)offset, symbol, (unsigned long long)slot);
	is_text(got, want, sentence);
	memphis_pointer_variable_close(&holder);
	memphis_pointer_variable_close(&outer);
}

static void plain_c(void)
{
	is_named("plain", 16, "plain");
	is_named("plain", 799, "plain");
	is_named("grid", 0, "grid");
	is_named("rows", 8, "rows");
	is_named("tls_table", 0, "tls tls_table");
	is_named("tls_table", 159, "tls tls_table");
	is_named("tls_grid", 8, "tls tls_grid");
	holds("pointer", 0, "pointer pointer -> double");
	holds("grid", 8, "pointer grid.tx -> double");
	holds("grid", 24, "pointer grid.halo.high -> double");
	holds("grid", 48, "pointer grid.{now|then} -> ?");
	holds("mixed", 32 + 16, "pointer mixed[1].{edge|other} -> halo");
	holds("tagged", 0, "pointer tagged.{raw|typed} -> halo");
	holds("tagged", 8, "pointer tagged.{halo|count|any|again} -> ?");
	holds("grid", 0, "other grid.cells -> ?");
	holds("blocks", 2 * 176 + 8, "pointer blocks[2].tx -> double");
	holds("rows", 24, "pointer rows[] -> double");
	holds("registry", 8, "symbol registry[] -> ?");
	holds("edges", 150 * 32 + 8, "pointer edges[150].high -> double");
	has("plain", 16, "2 of 100 x 8 bytes, [] [] 0+8");
	has("edges", 150 * 32 + 16 + 4, "150 of 200 x 32 bytes, [width[1]] [width] 20+4");
	has("wide", 8 * (2 * 40000 + 39999), "119999 of 120000 x 8 bytes, [] [] 0+8");
	has("field", 8 * (2 * 10 + 3), "23 of 60 x 8 bytes, [] [] 0+8");
	has("grid", 0, "0 of 1 x 176 bytes, [cells] [cells] 0+8");
	has("grid", 32 + 4 * 3, "0 of 1 x 176 bytes, [halo.width[3]] [halo.width] 44+4");
	has("grid", 56 + 8 * (1 * 5 + 4), "0 of 1 x 176 bytes, [table[1][4]] [table] 128+8");
	has("blocks", 3 * 176 + 16, "3 of 4 x 176 bytes, [halo.low] [halo.low] 16+8");
	has("tls_grid", 8, "0 of 1 x 176 bytes, [tx] [tx] 8+8");
	has("hollow", 4096, "0 of 1 x 67108868 bytes, [] [] 0+67108868");
	has("hollow", 1 << 26, "0 of 1 x 67108868 bytes, [after] [after] 67108864+4");
	has("grid", 48, "0 of 1 x 176 bytes, [{now|then}] [{now|then}] 48+8");
	has("mixed", 32 + 8, "1 of 4 x 32 bytes, [u.{real|word.low}] [u.{real|word.low}] 8+4");
	has("mixed", 32 + 14, "1 of 4 x 32 bytes, [u.{real|word.high[1]}] [u.{real|word.high}] 14+2");
	has("mixed", 24, "0 of 4 x 32 bytes, [{near|far}] [{near|far}] 24+4");
	has("mixed", 25, "0 of 4 x 32 bytes, [far] [far] 24+4");
	has("mixed", 26, "0 of 4 x 32 bytes, [many.{a|b|c|d|e|f|g|h|...}] [many.{a|b|c|d|e|f|g|h|...}] 26+1");
	block_has("pointer", 0, 80, "10 of 0 x 8 bytes, [] [] 0+8");
	block_has("registry", 8, 0, "(nothing)");
}

static void plus_cc(void)
{
	is_named("_ZN5ocean5fieldE", 8, "ocean::field");
	is_named("_ZN5ocean12_GLOBAL__N_16hiddenE", 8, "ocean::(anonymous namespace)::hidden");
	is_named("_ZN5ocean5basin5depthE", 8, "ocean::basin::depth");
	is_named("_ZN5ocean5basin6visitsE", 0, "tls ocean::basin::visits");
	is_named("_ZN5ocean8atlanticE", 0, "ocean::atlantic");
	holds("v", 0, "pointer v -> double");
	holds("cells", 0, "pointer cells -> cell");
	holds("owned", 0, "pointer owned -> double");
	holds("shared", 0, "pointer shared -> cell");
	holds("three", 24, "pointer three[1] -> float");
	holds("_ZN5ocean8atlanticE", 0, "pointer ocean::atlantic.salt -> double");
	has("_ZN5ocean5fieldE", 24, "3 of 50 x 8 bytes, [] [] 0+8");
	has("packed", 8, "0 of 1 x 24 bytes, [y] [y] 8+4");
	has("packed", 12, "0 of 1 x 24 bytes, [own] [own] 12+4");
	has("labels", 8, "0 of 3 x 64 bytes, [owner] [owner] 8+8");
	has("labels", 16 + 4, "0 of 3 x 64 bytes, [maybe.s] [maybe.s] 20+4");
	has("labels", 64 + 40, "1 of 3 x 64 bytes, [either.{t|...}] [either.{t|...}] 40+4");
	block_has("v", 0, 24, "3 of 0 x 8 bytes, [] [] 0+8");
	block_has("cells", 0, 16 * 5 + 4, "5 of 0 x 16 bytes, [s] [s] 4+4");
	block_has("cells", 0, 16 * 5 + 12, "5 of 0 x 16 bytes, [faces[2]] [faces] 12+2");
}

/* Symbols of C that look like those of COMMON blocks and EQUIVALENCE, in a program that has Fortran, too. */
static void mixed(void)
{
	is_named("cache_", 0, "cache_");
	is_named("own_", 0, "own_");
	is_named("equiv.0", 0, "equiv");
}

static void fields_f90(void)
{
	mixed();
	is_named("__ocean_MOD_field", 8, "ocean::field");
	is_named("__ocean_MOD_alone", 0, "ocean::alone");
	is_named("__ocean_MOD_alone", 63, "ocean::alone");
	is_named("__ocean_MOD_also", 0, "ocean::also");
	is_named("__ocean_MOD_also", 87, "ocean::also");
	is_named("__ocean_MOD_work", 8, "tls ocean::work");
	is_named("metrics_", 0, "/metrics/a");
	is_named("metrics_", 80, "/metrics/b");
	is_named("__BLNK__", 16, "//blank");
	is_named("mine_", 0, "tls /mine/private");
	is_named("mine_", 64, "tls /mine/other");
	holds("__ocean_MOD_alone", 0, "allocatable ocean::alone -> real(kind=8)");
	holds("__ocean_MOD_also", 0, "allocatable ocean::also -> real(kind=8)");
	holds("__ocean_MOD_many", 0, "allocatable ocean::many -> grid");
	holds("__ocean_MOD_one", 0, "pointer ocean::one -> grid");
	holds("__ocean_MOD_ice_grid", 8, "allocatable ocean::ice_grid%tx -> real(kind=8)");
	holds("__ocean_MOD_ice_grid", 96, "pointer array ocean::ice_grid%ty -> real(kind=8)");
	holds("__ocean_MOD_ice_grid", 160, "allocatable ocean::ice_grid%edge%low -> real(kind=8)");
	holds("__ocean_MOD_ice_grid", 224, "allocatable ocean::ice_grid%edge%high -> real(kind=8)");
	holds("__ocean_MOD_blk", 432 * 2 + 8, "allocatable ocean::blk(3)%tx -> real(kind=8)");
	has("__ocean_MOD_field", 8 * (6 * 4 + 2), "26 of 60 x 8 bytes, [] [] 0+8");
	has("__ocean_MOD_ice_grid", 312 + 8 * (3 * 4 + 1), "0 of 1 x 432 bytes, [table(2,5)] [table] 416+8");
	has("__ocean_MOD_blk", 432 * 3, "3 of 4 x 432 bytes, [cells] [cells] 0+4");
	has("mine_", 64 + 8, "(nothing)");
	block_has("__ocean_MOD_alone", 0, 24, "3 of 0 x 8 bytes, [] [] 0+8");
	block_has("__ocean_MOD_many", 0, 432 + 312, "1 of 0 x 432 bytes, [table(1,1)] [table] 312+8");
	block_holds("__ocean_MOD_many", 0, 432 * 5 + 8, 4320, "allocatable ocean::many()%tx");
	block_holds("__ocean_MOD_one", 0, 160, 432, "allocatable ocean::one%edge%low");
}

/* With C without debug information, a block of COMMON can't be told from a variable. */
static void mixed_flang(void)
{
	mixed();
	is_named("metrics_", 80, "metrics_");
	is_named("__BLNK__", 16, "<part of //>");
}

/* What all versions of LLVM's flang describe. */
static void fields_flang(const char *real)
{
	char want[256];

	is_named("_QMoceanEfield", 8, "ocean::field");
	is_named("_QMoceanEalone", 47, "ocean::alone");
	is_named("_QMoceanEalso", 71, "ocean::also");
	is_named("_QMoceanEmany", 63, "ocean::many");
	is_named("_QMoceanEone", 39, "ocean::one");
	is_named("_QMoceanEblk", 4 * 368 - 1, "ocean::blk");
	is_named("_QMoceanEice_grid", 367, "ocean::ice_grid");
	/* The variable that the threads copy; it is not thread-local. */
	is_named("_QMoceanEwork", 8, "ocean::work");
	is_named("mine_", 0, "<part of /mine/>");
	snprintf(want, sizeof(want), "allocatable ocean::alone -> %s", real);
	holds("_QMoceanEalone", 0, want);
	snprintf(want, sizeof(want), "allocatable ocean::also -> %s", real);
	holds("_QMoceanEalso", 0, want);
	has("_QMoceanEfield", 8 * (6 * 4 + 2), "26 of 60 x 8 bytes, [] [] 0+8");
	block_has("_QMoceanEalone", 0, 24, "3 of 0 x 8 bytes, [] [] 0+8");
}

/* Version 19 describes neither derived types nor COMMON: no type and no component may be made of what it writes instead. */
static void fields_flang19(void)
{
	fields_flang("real");
	is_named("metrics_", 80, "<part of /metrics/>");
	is_named("__BLNK__", 16, "<part of //>");
	holds("_QMoceanEmany", 0, "allocatable ocean::many -> ?");
	holds("_QMoceanEone", 0, "pointer ocean::one -> ?");
	holds("_QMoceanEice_grid", 8, "other ocean::ice_grid -> ?");
	has("_QMoceanEice_grid", 0, "(nothing)");
	has("_QMoceanEblk", 4, "(nothing)");
	block_has("_QMoceanEmany", 0, 8, "(nothing)");
}

static void fields_flang22(void)
{
	fields_flang("real(kind=8)");
	is_named("metrics_", 0, "/metrics/a");
	is_named("metrics_", 80, "/metrics/b");
	is_named("__BLNK__", 16, "//blank");
	is_named("mine_", 64, "/mine/other");
	holds("_QMoceanEmany", 0, "allocatable ocean::many -> grid");
	holds("_QMoceanEone", 0, "pointer ocean::one -> grid");
	holds("_QMoceanEice_grid", 8, "allocatable ocean::ice_grid%tx -> real(kind=8)");
	holds("_QMoceanEice_grid", 80, "pointer array ocean::ice_grid%ty -> real(kind=8)");
	holds("_QMoceanEice_grid", 128, "allocatable ocean::ice_grid%edge%low -> real(kind=8)");
	holds("_QMoceanEice_grid", 176, "allocatable ocean::ice_grid%edge%high -> real(kind=8)");
	holds("_QMoceanEblk", 368 * 2 + 8, "allocatable ocean::blk(3)%tx -> real(kind=8)");
	has("_QMoceanEice_grid", 248 + 8 * (3 * 4 + 1), "0 of 1 x 368 bytes, [table(2,5)] [table] 352+8");
	has("_QMoceanEblk", 368 * 3, "3 of 4 x 368 bytes, [cells] [cells] 0+4");
	block_has("_QMoceanEmany", 0, 368 + 248, "1 of 0 x 368 bytes, [table(1,1)] [table] 248+8");
	block_holds("_QMoceanEmany", 0, 368 * 5 + 8, 3680, "allocatable ocean::many()%tx");
	block_holds("_QMoceanEone", 0, 128, 368, "allocatable ocean::one%edge%low");
}

/* Without debug information, the compiler's symbols give the names. */
static void stripped_flang(void)
{
	is_named("_QMoceanEfield", 8, "ocean::field");
	is_named("_QMoceanFuseEkept", 8, "ocean::use::kept");
	is_named("metrics_", 80, "metrics_");
	holds("_QMoceanEalone", 0, "symbol ocean::alone -> ?");
	has("_QMoceanEfield", 8, "(nothing)");
}

/* Expects the element type of a block that is assigned to `name` at the symbol `mark`. */
static void made_of(const char *name, const char *want, const char *other)
{
	char sentence[512];
	Dwarf_Die element;
	bool tls, fortran;

	snprintf(sentence, sizeof(sentence), "%s: the type that '%s' points to", about, name);
	if (!memphis_element_find_by_name(&binaries, binary, value_of("mark", &tls), name, &element,
					  &fortran))
		element.addr = NULL;
	/* Compilers write one name or the other. */
	if (!strcmp(type_name(&element), other))
		want = other;
	is_text(type_name(&element), want, sentence);
}

static void blocks_c(void)
{
	made_of("x", "char", "char");
	made_of("g", "grid", "grid");
	made_of("g->tx", "double", "double");
	made_of("g->halo[].low", "float", "float");
	made_of("g->hidden", "short int", "short");
	made_of("g->base->counts", "long int", "long");
	made_of("all.tx", "double", "double");
	made_of("outside", "grid", "grid");
	made_of("rows[]", "int", "int");
	made_of("g->none", "?", "?");
	made_of("nothing", "?", "?");
	made_of("unknown", "?", "?");
	made_of("g->cells[].x", "?", "?");
	made_of("", "?", "?");
}

/* Without debug information, symbols give the names. */
static void stripped(void)
{
	is_named("plain", 16, "plain");
	is_named("tls_table", 8, "tls tls_table");
	holds("pointer", 0, "symbol pointer -> ?");
	has("plain", 16, "(nothing)");
}

int main(void)
{
	static const struct {
		void (*test)(void);
		const char *names;
		const char *missing; /* the compiler that is missing if there are no builds */
	} builds[] = {
		{plain_c, PLAIN, NULL},
		{plus_cc, PLUS, NULL},
		{fields_f90, FORTRAN, NULL},
		{blocks_c, BLOCKS, NULL},
		{stripped, "plain-stripped.so", NULL},
		{fields_flang19, FLANG19, "flang-new-19"},
		{fields_flang22, FLANG22, "flang-22"},
		{stripped_flang, STRIPPED_FLANG, "flang-new-19"},
		{mixed_flang, MIXED_FLANG, "flang-new-19"},
	};
	char names[4096], *name, *rest;
	size_t i;

	for (i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		if (!*builds[i].names)
			ok(true, "variables of Fortran # SKIP there is no %s", builds[i].missing);
		snprintf(names, sizeof(names), "%s", builds[i].names);
		for (name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
			if (ok(use(name), "%s is opened", name))
				builds[i].test();
	}
	for (i = 0; i < binaries.count; i++) {
		memphis_variables_close(binaries.list[i]);
		memphis_symbols_close(binaries.list[i]);
	}
	memphis_binaries_close(&binaries);
	return finish();
}
