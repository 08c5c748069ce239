// SPDX-License-Identifier: BSD-3-Clause
/* Common symbols, weak ones, a section of its own, and a name for the linker that the source has not. */
/* corpus: flags -fcommon */
#include "corpus.h"

double tentative[COUNT];
__attribute__((weak)) double weak[COUNT];
__attribute__((section("fields"))) double placed[COUNT] = {1};
static double renamed[COUNT] __asm__("another_name");

int main(void)
{
	TRUTH(tentative, BYTES, "tentative");
	TRUTH(weak, BYTES, "weak");
	TRUTH(placed, BYTES, "placed");
	TRUTH(renamed, BYTES, "renamed");
	return 0;
}
