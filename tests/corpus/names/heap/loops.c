// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that a loop declares, allocates and releases, and work arrays of a time loop. */
#include "corpus.h"

struct message {
	double *send, *receive;
};

int main(void)
{
	struct message messages[4];

	for (int step = 0; step < 3; step++) {
		double *work = malloc(BYTES); /* site: work */

		TRUTH(work, BYTES, "work");
		free(work);
	}
	for (int i = 0; i < 4; i++) {
		messages[i].send = malloc(BYTES);    /* site: messages[].send */
		messages[i].receive = malloc(BYTES); /* site: messages[].receive */
	}
	for (double *in_head = malloc(BYTES), *at = in_head; at == in_head; at++) /* site: in_head */
		TRUTH(in_head, BYTES, "in_head|at");
	for (int i = 0; i < 4; i++) {
		TRUTH(messages[i].send, BYTES, "messages[].send|messages[i].send");
		TRUTH(messages[i].receive, BYTES, "messages[].receive|messages[i].receive");
	}
	return 0;
}
