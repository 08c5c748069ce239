// SPDX-License-Identifier: BSD-3-Clause
/*
 * Watches the arrays of the case study (examples/cice_halo), in the place of the function that prints their addresses (option --addresses), whose
 * calls the linker redirects. Thread t of the OpenMP team is on CPU t. The pages of a block lie on the node of the thread that owns the block,
 * which has touched them first.
 */
#include "native.h"

#include <omp.h>

/* Of the sizes that the program has by default, which are those of the static arrays. */
#define BLOCK_BYTES (16ul * 258 * 20 * 5 * 8)

/* What gfortran calls the variables of the modules; the descriptor of an allocatable begins with its address. */
extern char *tx[] __asm__("__ice_transport_MOD_tx"), *ty[] __asm__("__ice_transport_MOD_ty"),
	*tc[] __asm__("__ice_transport_MOD_tc");
extern char trcrn[] __asm__("__ice_state_MOD_trcrn");
extern int *block_to_thr[] __asm__("__ice_blocks_MOD_block_to_thr");
extern const int nblocks __asm__("__ice_domain_size_MOD_nblocks");

void redirected(void) __asm__("__wrap___ice_check_MOD_ice_check_addresses");

static void watch(char *start, const char *name)
{
	for (int block = 0; block < nblocks; block++) {
		char *at = start + (size_t)block * BLOCK_BYTES;

		native_watch(at, BLOCK_BYTES, name);
		native_move(at, BLOCK_BYTES, (*block_to_thr)[block] / 2);
	}
}

void redirected(void)
{
#pragma omp parallel
	native_cpu(omp_get_thread_num());
	watch(*tx, "heap:tx");
	watch(*ty, "heap:ty");
	watch(*tc, "heap:tc");
	watch(trcrn, "bss:ice_state::trcrn");
}
