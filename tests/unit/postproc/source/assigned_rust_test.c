// SPDX-License-Identifier: BSD-3-Clause
/* The variable that an expression of Rust gives its block to. If this fails, blocks of Rust get wrong names. */
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "../../tap.h"

/* Analyses the expression that begins where the text has `mark`; `path` leads to the block from its value. */
static const char *through(const char *path, const char *text, const char *mark)
{
	static const char *const kinds[] = {"nothing", "name", "return", "object"};
	static char line[400];
	struct memphis_source_file file = {.path = "a.rs", .text = strdup(text)};
	size_t lines[16] = {0}, i, at = (size_t)(strstr(text, mark) - text);
	struct memphis_handover from = {.kind = MEMPHIS_HANDS_RESULT};
	struct memphis_assigned result;
	unsigned int number = 1;

	snprintf(from.path, sizeof(from.path), "%s", path);

	file.lines = lines;
	file.line_count = 1;
	for (i = 0; text[i]; i++)
		if (text[i] == '\n' && text[i + 1])
			lines[file.line_count++] = i + 1;
	while (number < file.line_count && lines[number] <= at)
		number++;
	memphis_assigned_find_rust(&file, number, (unsigned int)(at - lines[number - 1]) + 1, &from, &result);
	snprintf(line, sizeof(line), "%s %s", kinds[result.kind], result.name);
	free(file.text);
	return line;
}

static const char *of(const char *text, const char *mark)
{
	return through("", text, mark);
}

static void of_blocks(void)
{
	is_text(of("let raw = unsafe { alloc(layout) as *mut f64 };", "alloc("), "name raw",
		"the value of a block is assigned");
	is_text(of("let x = if c == 1 {\n  vec![0.0; n]\n} else {\n  Vec::new()\n};", "vec!"), "name x",
		"also of a condition");
	is_text(of("let x = if let Some(m) = c {\n  Vec::with_capacity(m)\n} else {\n  vec![0.0; n]\n};",
		   "vec!"),
		"name x", "with several branches");
	is_text(of("let x = match c {\n  0 => Vec::new(),\n  _ => vec![0.0; n],\n};", "vec!"), "name x",
		"also of a match");
	is_text(of("let x = match c {\n  0 => Vec::new(),\n  _ => {\n    log();\n    vec![0.0; n]\n  }\n};",
		   "vec!"),
		"name x", "whose arm is a block");
	is_text(of("fn f(c: bool) -> Vec<f64> {\n  if c { vec![0.0; n] } else { Vec::new() }\n}", "vec!"),
		"return ", "the value of a function may be that of a condition");
	is_text(of("for i in 0..n { run(vec![0.0; n]) }", "vec!"), "nothing ", "that of a loop is none");
	is_text(of("fn f() { run(vec![0.0; n]) }", "vec!"), "nothing ", "neither is that of such a function");
	is_text(of("let (a, b) = twice(|n| vec![5.0; n]);", "vec!"), "return ",
		"the value of a closure goes to its caller");
	is_text(of("let h = spawn(move || {\n  log();\n  vec![5.0; n]\n});", "vec!"), "return ",
		"also if the closure is a block");
	is_text(of("let rows = (0..8).zip(b).map(|(i, b)| vec![i; n]).filter(f).collect();", "vec!"),
		"name rows[]", "unless the statement collects the values");
	is_text(of("let a = [make(1), make(2)];", "make(2"), "name a[]", "an element of an array is named");
}

static void of_paths(void)
{
	is_text(of("fn new(n: usize) -> Self {\n  Model { count: n, heat: vec![1.0; n] }\n}", "vec!"),
		"return .heat", "a function returns a structure with the block");
	is_text(through(".heat", "let model = Model::new(n);", "Model::"), "name model.heat",
		"its caller names the structure");
	is_text(through(".heat", "Some(Box::new(Model::new(n)))", "Model::"), "nothing ", "or nothing");
	is_text(of("#[derive(Clone)]\nstruct Matrix {\n  values: Vec<f64>,\n}", "Clone"), "return ",
		"code that the compiler derives returns the object");
	is_text(of("pub struct Matrix {\n  columns: usize,\n  values: Vec<f64>,\n}", "values"),
		"return .values", "with its field");
	is_text(of("buffer.borrow_mut().resize(n, 1.0);", "buffer"), "name buffer",
		"what a cell contains has the name of the cell");
	is_text(of("self.state.lock().unwrap().halo = Some(vec![0.0; n]);", "vec"), "name self.state.halo",
		"a field is assigned through a lock");
	is_text(of("self.state.make().halo = vec![0.0; n];", "vec"), "nothing ",
		"but not through a function that may return anything");
	is_text(of("self.state.lock().unwrap().rows[i].heat.resize(n, 1.0);", "self"),
		"name self.state.rows[].heat", "and so have its fields");
	is_text(of("table.entry(k).or_insert_with(|| vec![0.0; n]).push(1.0);", "table"), "name table",
		"of several calls, the first that lets the container grow counts");
	is_text(of("f(x).push(1.0);", "f("), "nothing ", "what a function returns has no name");
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
		"name m.rows[]", "on lines of their own, in a closure");
	is_text(of("for i in 0..n {\n  local.push(i);\n}", "local"), "name local",
		"a container that grows is named");
	is_text(of("let a = 1; self.map.insert(k, Box::new([0.0; 8]));", "Box::"), "name self.map[]",
		"also for the value that it takes");
	is_text(of("fn make(n: usize) -> Vec<f64> {\n  vec![0.0; n]\n}", "vec!"), "return ",
		"the value of a function is named by its caller");
	is_text(of("  return vec![0.0; n];", "vec!"), "return ", "also with return");
	is_text(of("fn f() {\n  run(vec![0.0; n]);\n}", "vec!"), "nothing ",
		"an argument of a call whose result nobody takes has no name");
	is_text(of("if a == b { run(vec![0]); }", "vec!"), "nothing ", "a comparison is no assignment");
	of_blocks();
	of_paths();
	return finish();
}
