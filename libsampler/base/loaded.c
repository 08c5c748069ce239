/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the dynamic loader's list of objects in companions. */
#include <string.h>
#include <sys/auxv.h>

#include "base/companion.h"
#include "base/loaded.h"

#define PAGE      4096u
#define PAGES_MAX 65536u

/* Weak, because a static program has no dynamic loader. */
#pragma weak _r_debug

struct walk {
	int (*visit)(struct dl_phdr_info *, size_t, void *);
	void *data;
	int result;
};

/*
 * Describes the program. Its program headers come from the kernel, because the program's memory need not
 * begin with an ELF header.
 */
static struct dl_phdr_info describe_program(const struct link_map *map)
{
	struct dl_phdr_info info = {
		.dlpi_addr = map ? map->l_addr : 0,
		.dlpi_name = "",
		.dlpi_phdr = (const void *)getauxval(AT_PHDR),
		.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM),
	};
	const ElfW(Phdr) * part;

	for (part = info.dlpi_phdr; !map && part < info.dlpi_phdr + info.dlpi_phnum; part++)
		if (part->p_type == PT_PHDR)
			info.dlpi_addr = (uintptr_t)info.dlpi_phdr - part->p_vaddr;
	return info;
}

/*
 * Returns the ELF header of an object, or NULL. The header is at the object's load address (l_addr). If the
 * file has fixed addresses, l_addr is 0, and the header is in one of the pages before the dynamic section.
 * Some of these pages may not be mapped.
 */
static const ElfW(Ehdr) * header_of(const struct link_map *map)
{
	__u64 page = (__u64)(uintptr_t)map->l_ld & -(__u64)PAGE;
	char magic[SELFMAG];
	unsigned int i;

	if (map->l_addr)
		return (const void *)map->l_addr;
	for (i = 0; i < PAGES_MAX && page; i++, page -= PAGE)
		if (sys_copy(magic, page, SELFMAG) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
			return (const void *)(uintptr_t)page;
	return NULL;
}

/* Describes an object. Returns false if it has no header. */
static bool describe_object(const struct link_map *map, struct dl_phdr_info *info)
{
	const ElfW(Ehdr) *header = header_of(map);

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	*info = (struct dl_phdr_info){
		.dlpi_addr = map->l_addr,
		.dlpi_name = map->l_name,
		.dlpi_phdr = (const void *)((const char *)header + header->e_phoff),
		.dlpi_phnum = header->e_phnum,
	};
	return true;
}

static const struct link_map *find_first_map(void)
{
	return &_r_debug ? __atomic_load_n(&_r_debug.r_map, __ATOMIC_ACQUIRE) : NULL;
}

bool memphis_loaded_extent(const struct link_map *map, __u64 *low, __u64 *high)
{
	struct dl_phdr_info info = {.dlpi_phnum = 0};
	const ElfW(Phdr) * part;
	__u64 start;

	if (map == find_first_map())
		info = describe_program(map);
	else if (!describe_object(map, &info))
		return false;
	*low = UINT64_MAX;
	*high = 0;
	for (part = info.dlpi_phdr; part < info.dlpi_phdr + info.dlpi_phnum; part++) {
		start = info.dlpi_addr + part->p_vaddr;
		if (part->p_type == PT_LOAD && start < *low)
			*low = start;
		if (part->p_type == PT_LOAD && start + part->p_memsz > *high)
			*high = start + part->p_memsz;
	}
	return *low < *high;
}

bool memphis_loaded_is_constant(const void *address)
{
	const struct dl_phdr_info info = describe_program(find_first_map());
	const __u64 at = (__u64)(uintptr_t)address - info.dlpi_addr;
	const ElfW(Phdr) * part;
	bool constant = false, own = false;

	for (part = info.dlpi_phdr; part < info.dlpi_phdr + info.dlpi_phnum; part++)
		if (part->p_type == PT_PHDR)
			own = part->p_vaddr + info.dlpi_addr == (uintptr_t)info.dlpi_phdr;
		else if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
			constant |= at - part->p_vaddr < part->p_filesz;
	return own && constant;
}

static void walk_objects(void *data)
{
	const size_t size = offsetof(struct dl_phdr_info, dlpi_adds);
	const struct link_map *map = find_first_map();
	struct dl_phdr_info info = describe_program(map);
	struct walk *walk = data;

	walk->result = walk->visit(&info, size, walk->data);
	for (map = map ? map->l_next : NULL; map && !walk->result; map = map->l_next)
		if (describe_object(map, &info))
			walk->result = walk->visit(&info, size, walk->data);
}

int memphis_loaded_each(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	struct walk it = {.visit = visit, .data = data};

	if (!memphis_companion_is_self())
		return dl_iterate_phdr(visit, data);
	return memphis_companion_try(walk_objects, &it) ? -EFAULT : it.result;
}

static void digest_objects(void *data)
{
	const struct link_map *map;
	__u64 *sum = data;

	*sum = 0;
	for (map = find_first_map(); map; map = map->l_next)
		*sum = (*sum ^ (uintptr_t)map ^ map->l_addr ^ (uintptr_t)map->l_ld) * 0x9fb21c651e98df25u + 1;
}

static int read_counts(struct dl_phdr_info *info, size_t size, void *loads)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*(struct memphis_loads *)loads = (struct memphis_loads){info->dlpi_adds, info->dlpi_subs};
	return 1; /* the counts are the same for all objects */
}

struct memphis_loads memphis_loaded_counts(void)
{
	struct memphis_loads loads = {0};

	dl_iterate_phdr(read_counts, &loads);
	return loads;
}

__u64 memphis_loaded_version(void)
{
	static __u64 version;
	struct memphis_loads counts;

	if (memphis_companion_is_self()) {
		memphis_companion_try(digest_objects, &version);
		return version;
	}
	counts = memphis_loaded_counts();
	return counts.loads + counts.unloads;
}

/*
 * Reads r_state, which the loader sets, possibly in another thread. glibc (2.36) sets it only after it has
 * mapped the first object. A list of maps read before that may show a part of the object, as a file without
 * build-id. The report then uses the next list.
 */
bool memphis_loaded_is_changing(void)
{
	return &_r_debug && __atomic_load_n(&_r_debug.r_state, __ATOMIC_ACQUIRE) != RT_CONSISTENT;
}
