// SPDX-License-Identifier: BSD-3-Clause
/* Makes a page of any report. usage: make_page REPORT.json SOURCES.json COLUMNS.json > page.html */
#include <stdio.h>
#include <stdlib.h>

#include "output/output.h"

static struct memphis_text read_all(const char *path)
{
	struct memphis_text text = {0};
	FILE *from = fopen(path, "r");
	char room[65536];
	size_t got;

	while (from && (got = fread(room, 1, sizeof(room), from)) > 0)
		memphis_text_add(&text, room, got);
	if (!from || ferror(from) || fclose(from) || !text.text) {
		perror(path);
		exit(1);
	}
	return text;
}

int main(int count, char **arguments)
{
	struct memphis_text report, sources, columns, page = {0};

	if (count != 4)
		return 2;
	report = read_all(arguments[1]);
	sources = read_all(arguments[2]);
	columns = read_all(arguments[3]);
	memphis_page_put(&page, report.text, sources.text, columns.text);
	if (page.failed || fwrite(page.text, 1, page.bytes, stdout) != page.bytes || fflush(stdout))
		return 1;
	memphis_text_close(&report);
	memphis_text_close(&sources);
	memphis_text_close(&columns);
	memphis_text_close(&page);
	return 0;
}
