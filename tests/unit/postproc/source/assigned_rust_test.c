// SPDX-License-Identifier: BSD-3-Clause
/* The variable that an expression of Rust gives its block to. If this fails, blocks of Rust get wrong names. */
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "../../tap.h"

/* Analyses the expression that begins where the text has `mark`, which is on its last line. */
static const char *of(const char *text, const char *mark)
{
	static const char *const kinds[] = {"nothing", "name", "return", "object"};
	static char line[400];
	struct memphis_source_file file = {.path = "a.rs", .text = strdup(text)};
	size_t lines[16] = {0}, i, at = (size_t)(strstr(text, mark) - text);
	struct memphis_assigned result;
	unsigned int number = 1;

	file.lines = lines;
	file.line_count = 1;
	for (i = 0; text[i]; i++)
		if (text[i] == '\n' && text[i + 1])
			lines[file.line_count++] = i + 1;
	while (number < file.line_count && lines[number] <= at)
		number++;
	memphis_assigned_rust(&file, number, (unsigned int)(at - lines[number - 1]) + 1, &result);
	snprintf(line, sizeof(line), "%s %s", kinds[result.kind], result.name);
	free(file.text);
	return line;
}

int main(void)
{
	is_text(of("let mut a = vec![1.0; n];", "vec!"), "name a", "a declared variable is named");
	is_text(of("let a: Vec<f64> = Vec::with_capacity(n);", "Vec::"), "name a", "also with its type");
	is_text(of("let mut m: HashMap<u64, [f64; 8]> = HashMap::new();", "HashMap::"), "name m",
		"which may have commas and semicolons");
	is_text(of("self.rows[i].data = vec![0; n];", "vec!"), "name self.rows[].data",
		"a field of an element is named");
	is_text(of("let b = Arc::new(Mutex::new(vec![0; n]));", "vec!"), "name b",
		"an argument belongs to the result of the call");
	is_text(of("let m = Model { temp: vec![1.0; n], salt: vec![2.0; n] };", "vec![1"), "name m.temp",
		"a field of a structure is named");
	is_text(of("let m = Model { temp: vec![1.0; n], salt: vec![2.0; n] };", "vec![2"), "name m.salt",
		"also the second one");
	is_text(of("let m = Model {\n  temp: vec![1.0; n], // a, comment\n  rows: (0..8).map(|i| vec![i; n]).collect(),\n};",
		   "vec![i"),
		"name m.rows", "on lines of their own, in a closure");
	is_text(of("for i in 0..n {\n  local.push(i);\n}", "local"), "name local",
		"a container that grows is named");
	is_text(of("let a = 1; self.map.insert(k, Box::new([0.0; 8]));", "Box::"), "name self.map",
		"also for the value that it takes");
	is_text(of("fn make(n: usize) -> Vec<f64> {\n  vec![0.0; n]\n}", "vec!"), "return ",
		"the value of a function is named by its caller");
	is_text(of("  return vec![0.0; n];", "vec!"), "return ", "also with return");
	is_text(of("fn f() {\n  run(vec![0.0; n]);\n}", "vec!"), "nothing ",
		"an argument of a call whose result nobody takes has no name");
	is_text(of("if a == b { run(vec![0]); }", "vec!"), "nothing ", "a comparison is no assignment");
	return finish();
}
