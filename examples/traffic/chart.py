# SPDX-License-Identifier: BSD-3-Clause
"""Charts of `compare`: for each kernel and variant, bytes read and written relative to the bytes of all arrays, over the size."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM, HEAD = 450, 250, 58, 12, 34, 56, 64
INK, SOFT, GRID, BAND = "#1f2933", "#66727f", "#e4e7eb", "#f3e3c3"
READ, WRITE, LOAD = "#1d4ed8", "#c2410c", "#15803d"


def text(x, y, words, anchor="middle", size=12, color=INK, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{color}"{more}>{words}</text>'


def line(x0, y0, x1, y1, color, width=1, more=""):
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{color}" stroke-width="{width}"{more}/>'


def square(x, y, color):
    return f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" fill="none" stroke="{color}" stroke-width="1.6"/>'


def circle(x, y, color):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{color}"/>'


DASHED, DOTTED = ' stroke-dasharray="6 4"', ' stroke-dasharray="1.5 3"'

# What the charts show: words, color, and how it is drawn; a closed form is a line, a measurement has a mark.
FORMS = (("read: closed form", READ, DASHED, lambda case: case.expected[case.READS]),
         ("written: closed form", WRITE, DASHED, lambda case: case.expected[case.WRITES]),
         ("read by loads: closed form", LOAD, DOTTED, lambda case: case.expected[case.LOADS]))
MARKS = (("read: exact", READ, square, lambda case, run: run.exact and run.exact_sum(case.READS)),
         ("written: exact", WRITE, square, lambda case, run: run.exact and run.exact_sum(case.WRITES)),
         ("read by loads: estimated", LOAD, circle, lambda case, run: run.estimated))


def scale(low, high, begin, end):
    def place(value):
        return begin + (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)) * (end - begin)
    return place


def ticks(low, high):
    """Return at most seven powers of two."""
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    return [2 ** power for power in powers[::len(powers) // 7 + 1]]


def size_text(value):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit:
            return f"{value // unit:g} {name}"
    return f"{value} B"


def number_text(value):
    return f"{value:g}" if value >= 1 else f"1/{round(1 / value)}"


class Panel:
    """The cases of one kernel and variant, in a rectangle."""

    def __init__(self, cases, limits, left, top):
        self.cases = sorted(cases, key=lambda case: case.used)
        self.left, self.right = left + LEFT, left + WIDTH - RIGHT
        self.top, self.bottom = top + TOP, top + HEIGHT - BOTTOM
        self.low, self.high = limits
        self.x = scale(self.cases[0].used / 1.4, self.cases[-1].used * 1.4, self.left, self.right)
        self.y = scale(self.low, self.high, self.bottom, self.top)

    def frame(self, name):
        case = self.cases[0]
        out = [text(self.left, self.top - 18, name, "start", 14, more=' font-weight="bold"')]
        if any(case.zone != "any" for case in self.cases):
            begin, end = (min(max(self.x(bytes), self.left), self.right) for bytes in (case.cache / 8, 2 * case.cache))
            out.append(f'<rect x="{begin:.1f}" y="{self.top}" width="{end - begin:.1f}" height="{self.bottom - self.top}" fill="{BAND}"/>')
            if end - begin > 100:
                # Above the band, in which marks may be anywhere.
                out.append(text((begin + end) / 2, self.top - 4, "no closed form", size=10, color="#8a6d3b"))
            under = f"bytes used between two uses of a word; cache {size_text(case.cache)}"
        else:
            under = "bytes of the arrays; no word is used twice"
        for value in ticks(self.low, self.high):
            out += [line(self.left, self.y(value), self.right, self.y(value), GRID), text(self.left - 6, self.y(value) + 4, number_text(value), "end", 11)]
        out.append(text((self.left + self.right) / 2, self.bottom + 50, under, size=11, color=SOFT))
        return out + self.sizes()

    def sizes(self):
        """Return the sizes below the axis, without those that would overlap the one before."""
        out, last = [], -math.inf
        for case in self.cases:
            x = self.x(case.used)
            if x - last >= 12:
                out.append(text(x + 4, self.bottom + 13, case.size, "end", 9, more=f' transform="rotate(-28 {x + 4:.1f} {self.bottom + 13})"'))
                last = x
        return out

    def forms(self):
        out = []
        for _, color, dash, value in FORMS:
            for zone in ("any", "fits", "beyond"):
                points = [(self.x(case.used), self.y(value(case) / case.bytes)) for case in self.cases if case.zone == zone and value(case)]
                if points:
                    points = [(max(points[0][0] - 14, self.left), points[0][1]), *points, (min(points[-1][0] + 14, self.right), points[-1][1])]
                    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
                    out.append(f'<polyline fill="none" stroke="{color}" stroke-width="1.6"{dash} points="{path}"/>')
        return out

    def marks(self):
        """Return a mark at the mean of the runs, and a line from the smallest to the largest."""
        out = []
        for _, color, mark, value in MARKS:
            for case in self.cases:
                values = [value(case, run) for run in case.runs]
                if not all(values):
                    continue
                x, ends = self.x(case.used), [self.y(end / case.bytes) for end in (min(values), max(values))]
                out += [line(x, ends[0], x, ends[1], color, 2), mark(x, self.y(sum(values) / len(values) / case.bytes), color)]
        return out


def limits_of(cases):
    """Return the smallest and the largest value that a chart of these cases has, with some space."""
    values = [value(case) / case.bytes for case in cases for _, _, _, value in FORMS]
    values += [value(case, run) / case.bytes for case in cases for run in case.runs for _, _, _, value in MARKS if value(case, run)]
    values = [value for value in values if value]
    return min(values) / 1.5, max(values) * 1.5


def legend():
    out = []
    for at, (words, color, dash, _) in enumerate(FORMS):
        out.append(f'<g transform="translate({LEFT + 180 * at} 42)">{line(0, -4, 24, -4, color, 1.6, dash)}{text(30, 0, words, "start")}</g>')
    for at, (words, color, mark, _) in enumerate(MARKS):
        out.append(f'<g transform="translate({LEFT + 180 * at} 60)">{mark(12, -4, color)}{text(30, 0, words, "start")}</g>')
    return out


def draw(cases, path, title):
    """Draw a row of charts for each kernel, and a column for each variant; steps of transforms have no size of their own, and no chart."""
    cases = [case for case in cases if "/" not in case.name]
    kernels = list(dict.fromkeys(case.kernel for case in cases))
    variants = list(dict.fromkeys(case.variant for case in cases))
    width, height = max(LEFT + 180 * len(FORMS) + 20, WIDTH * len(variants)), HEAD + 20 + HEIGHT * len(kernels)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif">',
           '<!-- SPDX-License-Identifier: BSD-3-Clause -->', f'<rect width="{width}" height="{height}" fill="white"/>',
           text(LEFT, 22, f"{title}: bytes moved, relative to the bytes of all arrays", "start", 15, more=' font-weight="bold"'), *legend()]
    for row, kernel in enumerate(kernels):
        limits = limits_of([case for case in cases if case.kernel == kernel])
        for column, variant in enumerate(variants):
            own = [case for case in cases if case.kernel == kernel and case.variant == variant]
            if own:
                panel = Panel(own, limits, WIDTH * column, HEAD + 20 + HEIGHT * row)
                out += panel.frame(f"{kernel} {variant}".strip()) + panel.forms() + panel.marks()
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("\n".join(out) + "\n")
