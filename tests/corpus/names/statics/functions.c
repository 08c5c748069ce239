// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of one name in two functions, and in two blocks of one function. */
#include "corpus.h"

static void first(void)
{
	static double buffer[COUNT];

	TRUTH(buffer, BYTES, "first::buffer");
}

static void second(void)
{
	static double buffer[COUNT];

	TRUTH(buffer, BYTES, "second::buffer");
}

static void blocks(void)
{
	{
		static double cells[COUNT];

		TRUTH(cells, BYTES, "blocks::cells #upper");
	}
	{
		static double cells[COUNT];

		TRUTH(cells, BYTES, "blocks::cells #lower");
	}
}

int main(void)
{
	first();
	second();
	blocks();
	return 0;
}
