#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Writes random programs whose local variables hold heap blocks of unique sizes: generate.py fortran|c|c++ SEED COUNT SOURCE TRUTH
TRUTH gets a line for each block: its size, and the names that are right for it, separated by spaces.
"""
import random
import sys


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.sizes = set()
        self.truth = []
        self.lines = []

    def add(self, *lines):
        self.lines += lines

    def unique(self, draw):
        """Returns draw()'s result, whose last element is a size, with a size that is new."""
        while True:
            drawn = draw()
            if drawn[-1] not in self.sizes and drawn[-1] >= 2048:
                self.sizes.add(drawn[-1])
                return drawn

    def write(self, source, truth):
        with open(source, "w", encoding="ascii") as file:
            file.write("\n".join(self.lines) + "\n")
        with open(truth, "w", encoding="ascii") as file:
            for size, names in self.truth:
                file.write(f"{size} {' '.join(names)}\n")


class Fortran(Program):
    n, m = 301, 17  # what the main program passes

    def array(self):
        """Returns (type, bounds, size) of an automatic array."""
        kind, bytes_ = self.random.choice([("real(8)", 8), ("real(4)", 4), ("integer(4)", 4), ("complex(8)", 16)])
        k = self.random.randrange(1, 4000)
        c = self.random.randrange(2, 9)
        n, m = self.n, self.m
        bounds, elements = self.random.choice([
            (f"n+{k}", n + k), (f"{k}*m", k * m), (f"n,{c}", n * c), (f"{c},m+{k}", c * (m + k)), (f"0:n+{k}", n + k + 1),
            (f"m,n,{c}", m * n * c), (f"-{c}:{c},n", (2 * c + 1) * n), (f"{c},{c + 1},n+{k}", c * (c + 1) * (n + k)),
        ])
        return kind, bounds, elements * bytes_

    def automatic(self, prefix, lines):
        """Declares arrays, several on a line; returns (name, rank, kind)."""
        found = []
        for line in range(lines):
            kind = None
            parts = []
            for i in range(self.random.choice([1, 2, 2, 3, 4])):
                while True:
                    one, bounds, size = self.unique(self.array)
                    if kind in (None, one):
                        break
                    self.sizes.discard(size)
                kind = one
                name = f"{prefix}{line}{'abcd'[i]}"
                parts.append(f"{name}({bounds})")
                found.append((name, bounds.count(",") + 1, kind))
                self.truth.append((size, [name]))
            self.add(f"  {kind} :: {', '.join(parts)}")
        return found

    def first(self, name, rank):
        return f"{name}({','.join(['1'] * rank)})"

    def use(self, arrays, indent="  "):
        for name, rank, kind in arrays:
            how = self.random.randrange(5)
            number = self.random.randrange(100)
            value = f"cmplx({number}, 0, 8)" if kind.startswith("complex") else str(number)
            if how == 0:
                self.add(f"{indent}{name} = {value}")
                self.add(f"{indent}call use_{kind[0]}({name})" if kind == "real(8)" else f"{indent}w(1) = w(1) + real({self.first(name, rank)})")
            elif how == 1 and rank == 1 and kind == "real(8)":
                self.add(f"{indent}do i = 1, n", f"{indent}  {name}(i) = i * {number}", f"{indent}end do",
                         f"{indent}w(1:m) = w(1:m) + {name}(1:m)")
            elif how == 2:
                self.add(f"{indent}if (m > 3) then", f"{indent}  {name} = {value}", f"{indent}else", f"{indent}  {self.first(name, rank)} = 1",
                         f"{indent}end if", f"{indent}w(2) = w(2) + real(sum({name}))")
            elif kind == "real(8)":
                self.add(f"{indent}call use_r({name})")
            else:
                self.add(f"{indent}{name} = {value}", f"{indent}w(3) = w(3) + real(sum({name}))")

    def allocatables(self, prefix):
        """Returns the names of allocatables and pointers, and the lines that allocate them."""
        names = [f"{prefix}{i}" for i in range(self.random.randrange(1, 4))]
        attribute = self.random.choice(["allocatable", "pointer"])
        self.add(f"  real(8), {attribute} :: {', '.join(name + '(:)' for name in names)}")
        return names, attribute

    def allocate(self, names, attribute):
        parts = []
        for name in names:
            k, size = self.unique(lambda: (lambda k: (k, (self.n + k) * 8))(self.random.randrange(1, 9000)))
            parts.append(f"{name}(n+{k})")
            self.truth.append((size, [name]))
        style = self.random.randrange(3)
        if style == 0:
            self.add(f"  allocate({', '.join(parts)})")
        elif style == 1:
            self.add("  " + "; ".join(f"allocate({part})" for part in parts))
        else:
            for part in parts:
                self.add(f"  allocate({part})")
        for name in names:
            self.add(f"  {name} = 2", f"  call use_r({name})")
        if attribute == "pointer":
            self.add(f"  deallocate({', '.join(names)})")

    def subprogram(self, number):
        contained = self.random.random() < 0.3
        parallel = self.random.random() < 0.2
        allocating = self.random.random() < 0.4
        self.add(f"subroutine sub{number}(n, m, w)", "  integer, intent(in) :: n, m", "  real(8), intent(inout) :: w(100)")
        arrays = self.automatic(f"t{number}_", self.random.randrange(1, 4))
        if allocating:
            names, attribute = self.allocatables(f"p{number}_")
        self.add("  integer :: i")
        if parallel:
            self.add("  !$omp parallel do")
            self.add("  do i = 1, m", f"    {self.first(*arrays[0][:2])} = 1", "  end do")
        self.use(arrays)
        if allocating:
            self.allocate(names, attribute)
        if contained:
            self.add(f"  call inner{number}(n, m)")
            self.add("contains", f"  subroutine inner{number}(n, m)", "  integer, intent(in) :: n, m")
            inner = self.automatic(f"c{number}_", self.random.randrange(1, 3))
            self.add("  integer :: i")
            self.use(inner)
            name, rank, _ = arrays[0]
            self.add(f"  w(5) = w(5) + real({self.first(name, rank)})", "  end subroutine")
        self.add("end subroutine")

    def make(self, count):
        self.add("module subs", "implicit none", "contains")
        for number in range(count):
            self.subprogram(number)
        self.add("end module")
        self.add("program main", "use subs", "implicit none", "real(8) :: w(100)", "integer :: i", "w = 0", "i = 17")
        for number in range(count):
            if self.random.random() < 0.2:
                self.add("!$omp parallel sections firstprivate(w)", "!$omp section", f"call sub{number}(301, i, w)", "!$omp end parallel sections")
            else:
                self.add(f"call sub{number}(301, i, w)")
        self.add("print *, sum(w)", "end program")

    HELPERS = """subroutine use_r(a)
  real(8) :: a(*)
  a(1) = a(1) + 1
end subroutine
"""


class C(Program):
    cxx = False

    def size(self):
        k = self.random.randrange(256, 30000)
        return k, k * 8

    def block(self, name, *others):
        k, size = self.unique(self.size)
        self.truth.append((size, [name, *others]))
        return k

    def malloc(self, k):
        style = self.random.randrange(4)
        if style == 0:
            return f"calloc({k}, sizeof(double))"
        if style == 1:
            return f"xmalloc({k} * sizeof(double))"
        return f"malloc({k} * sizeof(double))" if not self.cxx else self.random.choice(
            [f"new double[{k}]", f"malloc({k} * sizeof(double))"])

    def cast(self, text):
        return f"(double *){text}" if self.cxx and not text.startswith("new") else text

    def one(self, name, *others):
        return self.cast(self.malloc(self.block(name, *others)))

    def function(self, number):
        f = f"{number}_"
        a, b, c, d = (f"{letter}{f}" for letter in "abcd")
        kind = self.random.randrange(9)
        self.add(f"__attribute__((noinline)) void f{number}(int n, double *w)" if self.random.random() < 0.7 else
                 f"static void f{number}(int n, double *w)", "{")
        if kind == 0:
            self.add(f"\tdouble *{a} = {self.one(a)}, *{b} = {self.one(b)}, *{c} = {self.one(c)};",
                     f"\tuse({a}, n); use({b}, n); use({c}, n);")
            used = [a, b, c]
        elif kind == 1:
            self.add(f"\tdouble *{a}, *{b};", f"\t{a} = {self.one(a)}; {b} = {self.one(b)};",
                     f"\tfor (int i = 0; i < n; i++)\n\t\t{a}[i] = {b}[i] = i;", f"\tw[0] += {a}[n - 1] + {b}[0];")
            used = [a, b]
        elif kind == 2:
            self.add(f"\tdouble *{a} = {self.one(a)};", f"\tif (!{a})\n\t\texit(1);", f"\tuse({a}, n);",
                     f"\t{a} = {self.cast(f'realloc({a}, {self.block(a)} * sizeof(double))')};", f"\tuse({a}, n);")
            used = [a]
        elif kind == 3:
            self.add(f"\tstruct pair {a};", f"\t{a}.x = {self.one(f'{a}.x')}; {a}.y = {self.one(f'{a}.y')};",
                     f"\tuse_pair(&{a}, n);")
            used = [f"{a}.x", f"{a}.y"]
        elif kind == 4:
            self.add(f"\tdouble *{a} = {self.one(a)};", f"\tdouble *{b} = {a} + n, *{c} = {a};",
                     f"\twhile ({c} < {b})\n\t\t*{c}++ = n;", f"\tw[1] += {a}[0];")
            used = [a]
        elif kind == 5:
            self.add(f"\tdouble vla[n], *{a} = {self.one(a)};", f"\tuse(vla, n); use({a}, n);", f"\tw[2] += vla[n / 2];") if not self.cxx else \
                self.add(f"\tdouble *{a} = {self.one(a)};", f"\tuse({a}, n);")
            used = [a]
        elif kind == 6:
            self.add(f"\tdouble *{a} = build(n, {self.block(a)});", f"\tuse({a}, n);")
            used = [a]
        elif kind == 7:
            g = f"held{number % 4}"
            self.add(f"\t{g} = {self.one(g)};", f"\tdouble *{a} = {g};", f"\tfor (int i = 0; i < n; i++)\n\t\t{a}[i] = i;", f"\tw[3] += {g}[2];")
            used = []
        else:
            self.add(f"\tstruct pair *{a} = shared;", f"\t{a}->x = {self.one(f'{a}->x', 'shared->x')};", f"\tdouble *{b} = {a}->x;",
                     f"\tuse({b}, n);", f"\tw[4] += {a}->x[3];")
            used = []
        for name in used:
            self.add(f"\tw[5] += {name}[n / 3];")
        if self.random.random() < 0.3:
            for name in used:
                self.add(f"\tfree({name});") if not self.cxx else None
        self.add("}", "")

    def make(self, count):
        self.add("#include <stdlib.h>", "#include <string.h>",
                 "struct pair {\n\tdouble *x, *y;\n};", "double *held0, *held1, *held2, *held3;", "static struct pair object, *volatile keeper = &object;",
                 "#define shared keeper",
                 "__attribute__((noinline)) void use(double *a, int n)\n{\n\tfor (int i = 0; i < n; i++)\n\t\ta[i] = i;\n\t__asm__ volatile(\"\" ::: \"memory\");\n}",
                 "__attribute__((noinline)) void use_pair(struct pair *p, int n)\n{\n\tuse(p->x, n);\n\tuse(p->y, n);\n}",
                 f"{self.random.choice(['static', 'static __attribute__((noinline))'])} void *xmalloc(size_t bytes)\n{{\n\tvoid *got = malloc(bytes);\n\tif (!got)\n\t\tabort();\n\treturn got;\n}}",
                 f"{self.random.choice(['static', 'static __attribute__((noinline))'])} double *build(int n, int count)\n{{\n\tdouble *made = (double *)malloc(count * sizeof(double));\n\tfor (int i = 0; i < n; i++)\n\t\tmade[i] = 1;\n\treturn made;\n}}")
        for number in range(count):
            self.function(number)
        self.add("int main(void)", "{", "\tstatic double w[100];", "\tvolatile int n = 40;", "")
        for number in range(count):
            self.add(f"\tf{number}(n, w);")
        self.add("\treturn w[0] < 0;", "}")

    HELPERS = ""


class Cxx(C):
    cxx = True


def main():
    language, seed, count, source, truth = sys.argv[1:]
    program = {"fortran": Fortran, "c": C, "c++": Cxx}[language](int(seed))
    program.make(int(count))
    program.lines += program.HELPERS.splitlines()
    program.write(source, truth)


main()
