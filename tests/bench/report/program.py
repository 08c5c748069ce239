#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints a C program with many loops over static arrays and heap blocks: the debug binary of bench-report."""

ARRAYS, POINTERS, FUNCTIONS = 80, 120, 260

print("#include <stdlib.h>")
for i in range(ARRAYS):
    print(f"double grid_{i}[{(8192, 65536, 16384, 524288)[i % 4] + 8 * i}];")
for i in range(POINTERS):
    print(f"double *field_{i};")
print("static inline double limited(double x, double low, double high)\n{\n\tdouble y = x < low ? low : x;\n\n\treturn y > high ? high : y;\n}")
print("static inline double upwind(const double *from, int i, double speed)\n{\n\tdouble left = from[i] - from[i - 1];")
print("\tdouble right = from[i + 1] - from[i];\n\n\treturn limited(speed * (speed > 0 ? left : right), -1.0, 1.0);\n}")
for i in range(FUNCTIONS):
    a, b, p, q = i * 7 % ARRAYS, i * 11 % ARRAYS, i * 5 % POINTERS, i * 13 % POINTERS
    print(f"""
void step_{i}(int n)
{{
	int i;

	if (!field_{p})
		field_{p} = malloc((n + 2) * sizeof(*field_{p}));
	for (i = 1; i < n; i++) {{
		grid_{a}[i] += upwind(grid_{b}, i, field_{p}[i]);
		if (grid_{a}[i] > {i + 1}.5)
			grid_{a}[i] = limited(grid_{a}[i] * 0.5, 0.0, grid_{b}[i]);
	}}
	for (i = n - 1; i > 0; i--)
		field_{p}[i] = upwind(grid_{a}, i, grid_{b}[i]) + (field_{q} ? field_{q}[i] : 0.0);
}}""")
print("int main(int count, char **arguments)\n{\n\t(void)arguments;")
for i in range(FUNCTIONS):
    print(f"\tstep_{i}(count);")
print("\treturn 0;\n}")
