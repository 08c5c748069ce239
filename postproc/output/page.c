// SPDX-License-Identifier: BSD-3-Clause
/*
 * Assembles the HTML page from the files in page/. These are separate files of HTML, CSS and JavaScript so
 * that editors and linters can process them.
 */
#include "output/output.h"

#include <string.h>

/* MEMPHIS_PAGE is the directory of the parts; the Makefile sets it. */
#define FILE_OF(name) ".incbin \"" MEMPHIS_PAGE "/" name "\"\n"
#define PART(symbol, files)                                                                           \
	extern const char symbol[] __attribute__((visibility("hidden")));                             \
	__asm__(".pushsection .rodata\n.globl " #symbol "\n.hidden " #symbol "\n" #symbol ":\n" files \
		".byte 0\n.popsection\n")

PART(memphis_page_html, FILE_OF("page.html"));
PART(memphis_page_css, FILE_OF("page.css"));
PART(memphis_page_js,
     FILE_OF("base.js") FILE_OF("csv.js") FILE_OF("model.js") FILE_OF("state.js") FILE_OF("summary.js")
	     FILE_OF("answer.js") FILE_OF("traffic.js") FILE_OF("ranks.js") FILE_OF("compare.js")
		     FILE_OF("regions.js") FILE_OF("mpi.js") FILE_OF("counters.js") FILE_OF("bandwidth.js")
			     FILE_OF("waiting.js") FILE_OF("variables.js") FILE_OF("callers.js")
				     FILE_OF("heatmap.js") FILE_OF("sharing.js") FILE_OF("source.js")
					     FILE_OF("accounting.js") FILE_OF("page.js"));

/*
 * Appends the JSON with each '<' escaped. In JSON, '<' occurs only in strings. An unescaped one could close
 * the surrounding HTML element or open a comment.
 */
static void put_json(struct memphis_text *text, const char *json)
{
	size_t plain;

	for (;;) {
		plain = strcspn(json, "<");
		memphis_text_add(text, json, plain);
		json += plain;
		if (!*json)
			return;
		memphis_text_put(text, "\\u003c");
		json++;
	}
}

void memphis_page_put(struct memphis_text *text, const char *report, const char *sources, const char *columns)
{
	const struct {
		const char *mark, *part;
		void (*put)(struct memphis_text *text, const char *part);
	} parts[] = {
		{"@STYLE@", memphis_page_css, memphis_text_put},
		{"@REPORT@", report, put_json},
		{"@SOURCES@", sources, put_json},
		{"@COLUMNS@", columns, put_json},
		{"@SCRIPT@", memphis_page_js, memphis_text_put},
	};
	const char *at = memphis_page_html, *mark;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		mark = strstr(at, parts[i].mark);
		memphis_text_add(text, at, (size_t)(mark - at));
		parts[i].put(text, parts[i].part);
		at = mark + strlen(parts[i].mark);
	}
	memphis_text_put(text, at);
}
