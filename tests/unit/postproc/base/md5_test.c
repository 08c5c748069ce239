// SPDX-License-Identifier: BSD-3-Clause
/* Digests of the test suite of RFC 1321 (A.5), and of texts whose padding takes one block or two. If this fails, unchanged sources name nothing. */
#include "base/md5.h"

#include "../../tap.h"

static const char *digest_of(const char *text)
{
	static char hex[2 * MEMPHIS_MD5_BYTES + 1];
	uint8_t digest[MEMPHIS_MD5_BYTES];
	size_t i;

	memphis_md5(text, strlen(text), digest);
	for (i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return hex;
}

int main(void)
{
	is_text(digest_of(""), "d41d8cd98f00b204e9800998ecf8427e", "nothing");
	is_text(digest_of("abc"), "900150983cd24fb0d6963f7d28e17f72", "three letters");
	is_text(digest_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
		"d174ab98d277d9f5a5611c2c9f419d9f", "62 letters: two blocks");
	is_text(digest_of("1234567890123456789012345678901234567890123456789012345678901234567890123456789"
			  "0"),
		"57edf4a22be3c955ac49da2e2107b67a", "80 digits");
	return finish();
}
