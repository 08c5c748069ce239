// SPDX-License-Identifier: BSD-3-Clause
/* Macros of C that have parameters. If this fails, blocks that macros allocate have no names, or wrong ones. */
#include <stdlib.h>
#include <unistd.h>

#include "source/macro_c.h"
#include "../../tap.h"

static struct memphis_sources sources;

static const struct memphis_source_file *read_text(const char *text)
{
	static char path[64];
	const struct memphis_source_file *file;
	FILE *to;

	snprintf(path, sizeof(path), "/tmp/memphis-macro-%d.c", (int)getpid());
	to = fopen(path, "w");
	fputs(text, to);
	fclose(to);
	file = memphis_source_file(&sources, path);
	unlink(path);
	return file;
}

static const char *expanded(const struct memphis_source_file *file, const char *text)
{
	static char result[256];
	char *found = memphis_macro_expand(file, text, "checked_malloc");

	snprintf(result, sizeof(result), "%s", found ? found : "none");
	free(found);
	return result;
}

int main(void)
{
	const struct memphis_source_file *file =
		read_text("#include <stdlib.h>\n"
			  "#include \"alloc.h\"\n"
			  "#define SIZE 5\n"
			  "#define ALLOC(p, n) (p) = malloc(n)\n"
			  "# define CHECKED(p, n) do { \\\n"
			  "  (p)->x = malloc(n); \\\n"
			  "} while (0)\n"
			  "#define PASS(p) store(p, (p))\n"
			  "#define NOTHING() (0)\n"
			  "  #  include  \"sub/more.h\"\n"
			  "#if TWO\n"
			  "#define EITHER(p) p = malloc(1)\n"
			  "#define TWICE(p) p = malloc(1)\n"
			  "#else\n"
			  "#define EITHER(p) q = malloc(1)\n"
			  "#define TWICE(p) p = malloc(1)\n"
			  "#endif\n"
			  "#if TRACE\n"
			  "#define MAKE(n) traced_malloc(n, 1)\n"
			  "#else\n"
			  "#define MAKE(n) checked_malloc(n)\n"
			  "#endif\n"
			  "#define GONE(p) p = malloc(1)\n"
			  "#undef GONE\n"
			  "#define PASTED(p) p##_x = malloc(1)\n"
			  "#define EXPLAINED(p) /* don't */ p = malloc(1)\n");
	unsigned int line = 0;
	char name[16];

	is_text(expanded(file, "ALLOC(s->x, f(a, b));"), "s->x = malloc ( f(a, b) ) ;",
		"arguments replace the parameters");
	is_text(expanded(file, "if (a) ALLOC(b[i], 4);"), "if (a) b[i] = malloc ( 4 ) ;",
		"what is around the macro remains");
	is_text(expanded(file, "CHECKED(&s, 4);"), "do { s.x = malloc ( 4 ) ; } while ( 0 ) ;",
		"a body goes on over lines, and the member of an object has a dot");
	is_text(expanded(file, "CHECKED(a + 1, 4);"), "do { (a + 1) -> x = malloc ( 4 ) ; } while ( 0 ) ;",
		"brackets around an operator remain");
	is_text(expanded(file, "PASS(x);"), "store ( x , x ) ;", "those of a call do, too");
	is_text(expanded(file, "SIZE(x); ALLOCATE(x, n);"), "none",
		"a macro without parameters, and an unknown one, are not expanded");
	is_text(expanded(file, "ALLOC(x);"), "none", "nor is one with too few arguments");
	is_text(expanded(file, "ALLOC(x, n"), "none", "nor one whose bracket does not close");
	is_text(expanded(file, "EITHER(x);"), "none", "which of two definitions holds is not known");
	is_text(expanded(file, "x = MAKE(4);"), "x = checked_malloc ( 4 ) ;",
		"unless the statement has called what only one of them names");
	is_text(expanded(file, "TWICE(x);"), "x = malloc ( 1 ) ;", "two that are equal are one");
	is_text(expanded(file, "GONE(x);"), "none", "a definition may have ended");
	is_text(expanded(file, "PASTED(x);"), "none", "names that are made of others are not");
	is_text(expanded(file, "EXPLAINED(x);"), "none", "nor are bodies with comments");
	ok(memphis_include_find(file, &line, name, sizeof(name)) && !strcmp(name, "alloc.h") && line == 2,
	   "a header of the program is found");
	ok(memphis_include_find(file, &line, name, sizeof(name)) && !strcmp(name, "sub/more.h") && line == 10,
	   "so is the next one");
	ok(!memphis_include_find(file, &line, name, sizeof(name)), "there are no more");
	line = 2;
	ok(!memphis_include_find(file, &line, name, 8), "a name without room is left out");
	memphis_sources_close(&sources);
	return finish();
}
