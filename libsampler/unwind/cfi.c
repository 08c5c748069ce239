/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind rules from call frame information (.eh_frame). Supports only the instructions that compilers
 * generate for ordinary functions on x86-64 (System V ABI, AMD64 supplement, 4.2.4; DWARF 5, 6.4). Any other
 * frame ends the walk.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/loaded.h"
#include "unwind/cfi.h"

/* DWARF register numbers. */
#define REG_BP 6
#define REG_SP 7
#define REG_RA 16
#define STATES 8 /* maximum nesting of DW_CFA_remember_state */

/* One row of the unwind table. CFA: canonical frame address. */
struct state {
	int cfa_reg;   /* -1: the CFA is an unsupported expression */
	int cfa_deref; /* 1: the CFA is the word stored at cfa_reg + cfa_offset, not the sum itself */
	__s64 cfa_offset;
	__s64 bp_offset; /* where the caller's bp is saved, relative to the CFA; 0: still in the register */
	int bp_from_bp;  /* 1: bp_offset is relative to bp, not to the CFA */
	int bp_known;    /* 0: bp is saved in an unsupported way */
	int ra_usable;   /* 1: the return address is at CFA - 8 */
};

/* The common information entry (CIE) to which a function's frame description entry (FDE) refers. */
struct cie {
	__u64 code_align;
	__s64 data_align;
	__u8 pointer_encoding;
	int usable;
	const unsigned char *start, *end; /* initial instructions */
};

static __u64 get_uleb(const unsigned char **p)
{
	__u64 value = 0;
	unsigned int shift = 0;
	unsigned char byte;

	do {
		byte = *(*p)++;
		if (shift < 64)
			value |= (__u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static __s64 get_sleb(const unsigned char **p)
{
	__u64 value = 0;
	unsigned int shift = 0;
	unsigned char byte;

	do {
		byte = *(*p)++;
		if (shift < 64)
			value |= (__u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~0ull << shift;
	return (__s64)value;
}

#define GET(type, p)                           \
	({                                     \
		type v_;                       \
		memcpy(&v_, *(p), sizeof(v_)); \
		*(p) += sizeof(v_);            \
		v_;                            \
	})

/*
 * Reads a pointer in encoding DW_EH_PE_*. The value is absolute or, if `relative` allows it, relative to its
 * own address. Returns 0, or -EINVAL if the encoding is not supported.
 */
static int get_pointer(const unsigned char **p, __u8 encoding, int relative, __u64 *out)
{
	__u64 base = relative && (encoding & 0x70) == 0x10 ? (__u64)(uintptr_t)*p : 0;
	__u64 value;

	if ((encoding & 0x80) || (relative && (encoding & 0x70) != 0x10 && (encoding & 0x70)))
		return -EINVAL;
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		value = GET(__u64, p);
		break;
	case 0x03:
		value = GET(__u32, p);
		break;
	case 0x0b:
		value = (__u64)(__s64)GET(__s32, p);
		break;
	default:
		return -EINVAL;
	}
	*out = base + value;
	return 0;
}

static __attribute__((noinline)) void parse_cie(struct cie *cie, const unsigned char *p)
{
	__u32 length = GET(__u32, &p);
	const unsigned char *end = p + length;
	const unsigned char *augmentation_end = NULL;
	const char *augmentation;
	__u8 version;

	memset(cie, 0, sizeof(*cie));
	p += 4; /* CIE id */
	version = *p++;
	augmentation = (const char *)p;
	p += strlen(augmentation) + 1;
	cie->code_align = get_uleb(&p);
	cie->data_align = get_sleb(&p);
	if ((version == 1 ? *p++ : get_uleb(&p)) != REG_RA)
		return;
	if (*augmentation == 'z') {
		__u64 bytes = get_uleb(&p);

		if (p > end || bytes > (__u64)(end - p))
			return;
		augmentation_end = p + bytes;
		while (*++augmentation) {
			__u64 ignored;

			if (p >= augmentation_end)
				return;
			if (*augmentation == 'R')
				cie->pointer_encoding = *p++;
			else if (*augmentation == 'L')
				p++;
			else if (*augmentation == 'P') {
				__u8 encoding = *p++ & 0x7f;

				if (get_pointer(&p, encoding, 0, &ignored))
					return;
			} else {
				return; /* mainly 'S', a signal frame, whose rule is an expression */
			}
		}
		p = augmentation_end;
	} else if (*augmentation) {
		return;
	}
	cie->start = p;
	cie->end = end;
	cie->usable = p <= end;
}

#define OP_BREG_BP (0x70 + REG_BP) /* DW_OP_breg6 */
#define OP_DEREF   0x06            /* DW_OP_deref */

/* Skips an expression (DWARF 5, 2.5). Returns true if its value is bp + *offset or, with `deref`, the word at that address. */
static int is_relative_to_bp(const unsigned char **p, int deref, __s64 *offset)
{
	const unsigned char *end, *q;
	__u64 bytes = get_uleb(p);

	q = *p;
	end = *p += bytes;
	if (bytes < 2 || *q++ != OP_BREG_BP)
		return 0;
	*offset = get_sleb(&q);
	if (deref && (q == end || *q++ != OP_DEREF))
		return 0;
	return q == end;
}

static void set_register(struct state *s, __u64 reg, __s64 offset)
{
	if (reg == REG_BP) {
		s->bp_offset = offset;
		s->bp_known = 1;
		s->bp_from_bp = 0;
	} else if (reg == REG_RA) {
		s->ra_usable = offset == -8;
	}
}

static void lose_register(struct state *s, __u64 reg)
{
	if (reg == REG_BP)
		s->bp_known = 0;
	else if (reg == REG_RA)
		s->ra_usable = 0;
}

static void restore_register(struct state *s, __u64 reg, const struct state *initial)
{
	if (reg == REG_BP) {
		s->bp_offset = initial->bp_offset;
		s->bp_known = initial->bp_known;
		s->bp_from_bp = initial->bp_from_bp;
	} else if (reg == REG_RA) {
		s->ra_usable = initial->ra_usable;
	}
}

/* Returns a factored offset. The product wraps around in damaged entries. */
static __s64 scale_offset(const struct cie *cie, __u64 value)
{
	return (__s64)(value * (__u64)cie->data_align);
}

/* Executes a DW_CFA_* instruction whose high two bits are 0. Returns 0 or -EINVAL. */
static int run_extended(const struct cie *cie, __u8 op, const unsigned char **p, struct state *s,
			const struct state *initial, struct state *stack, int *depth, __u64 *loc)
{
	__s64 offset;
	__u64 reg;

	switch (op) {
	case 0x00: /* nop */
		return 0;
	case 0x01: /* set_loc */
		return get_pointer(p, cie->pointer_encoding, 1, loc);
	case 0x02: /* advance_loc1 */
		*loc += GET(__u8, p) * cie->code_align;
		return 0;
	case 0x03: /* advance_loc2 */
		*loc += GET(__u16, p) * cie->code_align;
		return 0;
	case 0x04: /* advance_loc4 */
		*loc += GET(__u32, p) * cie->code_align;
		return 0;
	case 0x05: /* offset_extended */
		reg = get_uleb(p);
		set_register(s, reg, scale_offset(cie, get_uleb(p)));
		return 0;
	case 0x11: /* offset_extended_sf */
		reg = get_uleb(p);
		set_register(s, reg, scale_offset(cie, (__u64)get_sleb(p)));
		return 0;
	case 0x06: /* restore_extended */
		restore_register(s, get_uleb(p), initial);
		return 0;
	case 0x07: /* undefined; for the return address: this is the outermost frame */
		lose_register(s, get_uleb(p));
		return 0;
	case 0x08: /* same_value */
		reg = get_uleb(p);
		if (reg == REG_BP) {
			s->bp_offset = 0;
			s->bp_known = 1;
			s->bp_from_bp = 0;
		}
		return 0;
	case 0x09: /* register */
	case 0x14: /* val_offset */
	case 0x15: /* val_offset_sf */
		lose_register(s, get_uleb(p));
		get_uleb(p);
		return 0;
	case 0x0a: /* remember_state */
		if (*depth == STATES)
			return -EINVAL;
		stack[(*depth)++] = *s;
		return 0;
	case 0x0b: /* restore_state */
		if (!*depth)
			return -EINVAL;
		*s = stack[--*depth];
		return 0;
	case 0x0c: /* def_cfa */
		s->cfa_reg = (int)get_uleb(p);
		s->cfa_offset = (__s64)get_uleb(p);
		s->cfa_deref = 0;
		return 0;
	case 0x12: /* def_cfa_sf */
		s->cfa_reg = (int)get_uleb(p);
		s->cfa_offset = scale_offset(cie, (__u64)get_sleb(p));
		s->cfa_deref = 0;
		return 0;
	case 0x0d: /* def_cfa_register */
		s->cfa_reg = (int)get_uleb(p);
		s->cfa_deref = 0;
		return 0;
	case 0x0e: /* def_cfa_offset */
		s->cfa_offset = (__s64)get_uleb(p);
		return 0;
	case 0x13: /* def_cfa_offset_sf */
		s->cfa_offset = scale_offset(cie, (__u64)get_sleb(p));
		return 0;
	case 0x0f: /* def_cfa_expression */
		s->cfa_deref = is_relative_to_bp(p, 1, &s->cfa_offset);
		s->cfa_reg = s->cfa_deref ? REG_BP : -1;
		return 0;
	case 0x10: /* expression */
		reg = get_uleb(p);
		if (is_relative_to_bp(p, 0, &offset) && reg == REG_BP) {
			set_register(s, reg, offset);
			s->bp_from_bp = 1;
		} else {
			lose_register(s, reg);
		}
		return 0;
	case 0x16: /* val_expression */
		lose_register(s, get_uleb(p));
		reg = get_uleb(p);
		*p += reg;
		return 0;
	case 0x2e: /* GNU_args_size */
		get_uleb(p);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Returns the last FDE in the binary search table whose function starts at or below `pc`, or NULL. */
static __attribute__((noinline)) const unsigned char *find_fde(const unsigned char *hdr, __u64 pc)
{
	const unsigned char *p = hdr + 4;
	const __s32 *table;
	__u64 eh_frame, count;
	size_t low = 0, high;

	/* All linkers write encoding 0x3b: a sorted table of pairs (start, FDE), each a 32-bit offset from the header. */
	if (hdr[0] != 1 || hdr[3] != 0x3b || get_pointer(&p, hdr[1], 1, &eh_frame) ||
	    get_pointer(&p, hdr[2], 0, &count) || !count)
		return NULL;
	table = (const __s32 *)(const void *)p;
	high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((__u64)(uintptr_t)hdr + (__u64)(__s64)table[2 * middle] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? hdr + table[2 * (low - 1) + 1] : NULL;
}

/* A function's frame description entry (FDE). */
struct fde {
	struct cie cie;
	__u64 start, bytes;
	const unsigned char *instructions, *end;
};

/*
 * begin_fde() and end_fde() are the steps of parse_fde(). They are not inlined, so that the stack memory of
 * one step is free for the next. begin_fde() starts at fde->instructions. Returns the address of the CIE, or
 * NULL.
 */
static __attribute__((noinline)) const unsigned char *begin_fde(struct fde *fde)
{
	const unsigned char *p = fde->instructions, *cie_pointer;
	__u64 bytes = GET(__u32, &p);

	if (bytes >= 0xfffffff0u)
		return NULL;
	fde->end = p + bytes;
	cie_pointer = p;
	fde->instructions = cie_pointer + sizeof(__u32);
	return cie_pointer - GET(__u32, &p);
}

static __attribute__((noinline)) int end_fde(struct fde *fde, __u64 pc)
{
	const unsigned char *p = fde->instructions;
	__u64 bytes;

	if (get_pointer(&p, fde->cie.pointer_encoding, 1, &fde->start) ||
	    get_pointer(&p, fde->cie.pointer_encoding & 0x0f, 0, &fde->bytes) || pc < fde->start ||
	    pc >= fde->start + fde->bytes)
		return 0;
	bytes = get_uleb(&p); /* skip the augmentation data, which refers to exception tables */
	if (p > fde->end || bytes > (__u64)(fde->end - p))
		return 0;
	fde->instructions = p + bytes;
	return 1;
}

/* Parses the FDE of the function that contains `pc`. Returns false if the function has no FDE, or one that is not supported. */
static inline __attribute__((always_inline)) int parse_fde(struct fde *fde, const unsigned char *eh_frame_hdr,
							   __u64 pc)
{
	const unsigned char *cie;

	fde->instructions = find_fde(eh_frame_hdr, pc);
	cie = fde->instructions ? begin_fde(fde) : NULL;
	if (!cie)
		return 0;
	parse_cie(&fde->cie, cie);
	return fde->cie.usable && end_fde(fde, pc);
}

struct search {
	__u64 pc;
	const unsigned char *eh_frame_hdr;
};

/* The structure that is stored in a union memphis_cfi_work. */
struct work {
	union {
		struct search search;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
		struct dl_find_object object;
#endif
	};
	struct state state, initial, stack[STATES];
	struct fde fde;
};

_Static_assert(sizeof(struct work) <= sizeof(union memphis_cfi_work), "the memory is sufficient");

/*
 * Executes instructions until the location is beyond `pc`. work->state is then the row for `pc`. Returns 0 or
 * -EINVAL.
 */
static int run_instructions(struct work *work, const unsigned char *p, const unsigned char *end, __u64 loc,
			    __u64 pc)
{
	const struct cie *cie = &work->fde.cie;
	struct state *s = &work->state;
	const unsigned char *begin = p;
	int depth = 0;
	int err;

	while (p < end) {
		__u8 op = *p++;

		switch (op & 0xc0) {
		case 0x40: /* advance_loc */
			loc += (op & 0x3f) * cie->code_align;
			break;
		case 0x80: /* offset */
			set_register(s, op & 0x3f, scale_offset(cie, get_uleb(&p)));
			break;
		case 0xc0: /* restore */
			restore_register(s, op & 0x3f, &work->initial);
			break;
		default:
			err = run_extended(cie, op, &p, s, &work->initial, work->stack, &depth, &loc);
			if (err)
				return err;
		}
		/* These conditions show a damaged length. */
		if (p > end || p <= begin)
			return -EINVAL;
		begin = p;
		if (loc > pc)
			return 0;
	}
	return 0;
}

static struct memphis_rule find_rule(const unsigned char *eh_frame_hdr, __u64 return_address,
				     union memphis_cfi_work *memory)
{
	const struct memphis_rule none = {.kind = MEMPHIS_RULE_NONE};
	struct work *work = (struct work *)memory;
	struct state *const state = &work->state;
	const struct fde *fde = &work->fde;
	struct memphis_rule rule = none;
	__u64 pc = return_address - 1; /* an address in the call instruction, which may be the last
				        * instruction of its function */

	*state = work->initial = (struct state){.cfa_reg = -1, .bp_known = 1};
	if (!parse_fde(&work->fde, eh_frame_hdr, pc))
		return none;
	if (run_instructions(work, fde->cie.start, fde->cie.end, 0, UINT64_MAX))
		return none;
	work->initial = *state;
	if (run_instructions(work, fde->instructions, fde->end, fde->start, pc))
		return none;
	if (!state->ra_usable || state->cfa_offset < INT32_MIN || state->cfa_offset > INT32_MAX ||
	    (state->cfa_reg != REG_SP && state->cfa_reg != REG_BP))
		return none;
	rule.cfa_offset = (__s32)state->cfa_offset;
	/* End the walk if bp is unknown, because a caller may compute its CFA from bp and must not use a wrong value. */
	if (!state->bp_known || state->bp_offset < INT16_MIN || state->bp_offset > 0)
		return none;
	if (state->cfa_deref != state->bp_from_bp)
		return none;
	rule.bp_offset = (__s16)state->bp_offset;
	if (state->cfa_deref)
		rule.kind = MEMPHIS_RULE_DEREF;
	else
		rule.kind = state->cfa_reg == REG_SP ? MEMPHIS_RULE_SP : MEMPHIS_RULE_BP;
	return rule;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
typedef int (*find_object_fn)(void *, struct dl_find_object *);
static find_object_fn find_object;
#endif

void memphis_cfi_setup(void)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	find_object = (find_object_fn)dlsym(RTLD_DEFAULT, "_dl_find_object");
#endif
}

static int find_hdr_in_object(struct dl_phdr_info *info, UNUSED size_t size, void *data)
{
	struct search *search = data;
	const unsigned char *hdr = NULL;
	int inside = 0;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		__u64 start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && search->pc >= start && search->pc < start + ph->p_memsz)
			inside = 1;
		else if (ph->p_type == PT_GNU_EH_FRAME)
			hdr = (const unsigned char *)start;
	}
	if (inside)
		search->eh_frame_hdr = hdr;
	return inside;
}

/* Returns the .eh_frame_hdr of the object that contains `pc`, or NULL. */
static const unsigned char *find_eh_frame_hdr(__u64 pc, struct work *work)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	if (find_object)
		return find_object((void *)(uintptr_t)pc, &work->object) ? NULL : work->object.dlfo_eh_frame;
#endif
	work->search = (struct search){.pc = pc};
	memphis_loaded_each(find_hdr_in_object, &work->search);
	return work->search.eh_frame_hdr;
}

/*
 * A copy of a part of a segment. The part begins with .eh_frame_hdr or .eh_frame, whichever is lower, and
 * extends to the end of the segment.
 */
struct copy {
	__u64 start, end; /* address range of the object in its process */
	__u64 shift;      /* add this to an address in the process to get the address in the copy */
	const unsigned char *eh_frame_hdr;
	unsigned char *bytes;
	size_t size; /* size of the mapping */
};

static struct copy *copies;
static size_t copy_count;
static bool copies_are_used;

/* Returns the copy for an address in the process, or NULL. */
static const struct copy *find_copy(__u64 pc)
{
	size_t i;

	for (i = 0; i < copy_count; i++)
		if (pc >= copies[i].start && pc < copies[i].end)
			return &copies[i];
	return NULL;
}

/*
 * Returns the .eh_frame_hdr for `pc` in the sampled process, or NULL if there is none. Sets *shift to the
 * value that must be added to an address in the process to get the address in the call frame information.
 */
static const unsigned char *find_hdr_or_copy(__u64 pc, __u64 *shift, struct work *work)
{
	const struct copy *copy;

	*shift = 0;
	if (!copies_are_used)
		return find_eh_frame_hdr(pc, work);
	copy = find_copy(pc);
	if (!copy)
		return NULL;
	*shift = copy->shift;
	return copy->eh_frame_hdr;
}

struct memphis_rule memphis_cfi_rule(__u64 pc, union memphis_cfi_work *work)
{
	__u64 shift;
	const unsigned char *eh_frame_hdr = find_hdr_or_copy(pc, &shift, (struct work *)work);

	return eh_frame_hdr ? find_rule(eh_frame_hdr, pc + shift, work)
			    : (struct memphis_rule){.kind = MEMPHIS_RULE_NONE};
}

int memphis_cfi_function(__u64 pc, __u64 *start, __u64 *end)
{
	__u64 shift;
	struct work work;
	const unsigned char *eh_frame_hdr = find_hdr_or_copy(pc, &shift, &work);

	if (!eh_frame_hdr || !parse_fde(&work.fde, eh_frame_hdr, pc + shift))
		return 0;
	*start = work.fde.start - shift;
	*end = *start + work.fde.bytes;
	return 1;
}

bool memphis_cfi_is_of_object(__u64 pc, __u64 other)
{
	__u64 shift;
	struct work work;
	const unsigned char *eh_frame_hdr = find_hdr_or_copy(pc, &shift, &work);

	return eh_frame_hdr && eh_frame_hdr == find_hdr_or_copy(other, &shift, &work);
}

#define COPIES_MAX 4096
#define BYTES_MAX  (256u << 20) /* limit for one object */
#define ZEROS      4096         /* zeroed bytes after a copy */
#define ENTRY_MIN  16           /* bytes; no linker writes smaller entries */

void memphis_cfi_copies_use(void)
{
	copies_are_used = true;
}

void memphis_cfi_copies_clear(void)
{
	while (copy_count--)
		sys_unmap(copies[copy_count].bytes, copies[copy_count].size);
	copy_count = 0;
}

static const Elf64_Phdr *find_segment(const Elf64_Phdr *segments, size_t count, __u64 vaddr)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && vaddr >= segments[i].p_vaddr &&
		    vaddr - segments[i].p_vaddr < segments[i].p_filesz)
			return &segments[i];
	return NULL;
}

/* Reads all bytes. Returns -EBADMSG if the file is shorter than its headers state. */
static int read_bytes(int fd, unsigned char *to, size_t bytes, __u64 offset)
{
	ssize_t got;

	while (bytes) {
		got = pread(fd, to, bytes, (off_t)offset);
		if (got <= 0)
			return got ? -EIO : -EBADMSG;
		to += got;
		offset += (__u64)got;
		bytes -= (size_t)got;
	}
	return 0;
}

/*
 * Returns the address of .eh_frame in the object, read from the .eh_frame_hdr. Returns 0 if the header has
 * encodings that no linker uses.
 */
static __u64 eh_frame_address(const unsigned char *header, __u64 vaddr)
{
	__s32 distance;

	/*
	 * The bytes are the version and the encodings of three fields, each of 32 bits: .eh_frame relative to
	 * the field's own address, the count, and pairs relative to the header.
	 */
	if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 || header[3] != 0x3b)
		return 0;
	memcpy(&distance, header + 4, 4);
	return vaddr + 4 + (__u64)(__s64)distance;
}

/*
 * Returns true if the entry at offset `at` lies completely in the first `size` bytes. Stores the offset of
 * the byte after its length field in *body.
 */
static bool has_entry(const unsigned char *bytes, __u64 size, __u64 at, __u64 *body)
{
	__u32 length;

	if (at > size || size - at < ENTRY_MIN)
		return false;
	memcpy(&length, bytes + at, 4);
	*body = at + 4;
	return length >= ENTRY_MIN - 4 && length <= size - *body;
}

/* Checks the table, the FDEs in the table, and the CIEs to which the FDEs refer. */
static bool is_valid_copy(const unsigned char *bytes, __u64 size, __u64 header)
{
	__u64 fde, cie;
	__s32 distance;
	__u32 count, i, back;

	if (header > size || size - header < 12)
		return false;
	memcpy(&count, bytes + header + 8, 4);
	if (count > (size - header - 12) / 8)
		return false;
	for (i = 0; i < count; i++) {
		memcpy(&distance, bytes + header + 12 + 8 * (__u64)i + 4, 4);
		if (!has_entry(bytes, size, header + (__u64)(__s64)distance, &fde))
			return false;
		memcpy(&back, bytes + fde, 4);
		if (back > fde || !has_entry(bytes, size, fde - back, &cie))
			return false;
	}
	return true;
}

static void set_copy_range(struct copy *copy, const Elf64_Phdr *segments, size_t count, __u64 bias)
{
	size_t i;

	copy->start = UINT64_MAX;
	copy->end = 0;
	for (i = 0; i < count; i++) {
		if (segments[i].p_type != PT_LOAD)
			continue;
		if (bias + segments[i].p_vaddr < copy->start)
			copy->start = bias + segments[i].p_vaddr;
		if (bias + segments[i].p_vaddr + segments[i].p_memsz > copy->end)
			copy->end = bias + segments[i].p_vaddr + segments[i].p_memsz;
	}
}

int memphis_cfi_copy_add(int fd, const Elf64_Phdr *segments, size_t count, __u64 bias)
{
	const Elf64_Phdr *header = NULL, *segment = NULL;
	struct copy copy;
	unsigned char begin[8];
	__u64 low, bytes;
	size_t i;
	int err;

	for (i = 0; i < count; i++)
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			header = &segments[i];
	if (header)
		segment = find_segment(segments, count, header->p_vaddr);
	if (!segment || copy_count == COPIES_MAX)
		return -ENOENT;
	err = read_bytes(fd, begin, sizeof(begin), segment->p_offset + (header->p_vaddr - segment->p_vaddr));
	if (err)
		return err;
	low = eh_frame_address(begin, header->p_vaddr);
	if (!low || find_segment(segments, count, low) != segment)
		return -ENOENT;
	if (header->p_vaddr < low)
		low = header->p_vaddr;
	bytes = segment->p_filesz - (low - segment->p_vaddr);
	if (bytes > BYTES_MAX)
		return -ENOENT;
	if (!copies)
		copies = sys_map(COPIES_MAX * sizeof(*copies));
	copy.size = bytes + ZEROS;
	copy.bytes = copies ? sys_map(copy.size) : NULL;
	if (!copy.bytes)
		return -ENOMEM;
	err = read_bytes(fd, copy.bytes, bytes, segment->p_offset + (low - segment->p_vaddr));
	if (!err && !is_valid_copy(copy.bytes, bytes, header->p_vaddr - low))
		err = -EBADMSG;
	if (err) {
		sys_unmap(copy.bytes, copy.size);
		return err;
	}
	set_copy_range(&copy, segments, count, bias);
	copy.eh_frame_hdr = copy.bytes + (header->p_vaddr - low);
	copy.shift = (__u64)(uintptr_t)copy.bytes - (bias + low);
	copies[copy_count++] = copy;
	return 0;
}
