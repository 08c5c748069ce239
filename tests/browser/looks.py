# SPDX-License-Identifier: BSD-3-Clause
"""Checks of how a page looks: contrasts, colours of nodes, labels, heads of tables, and the bar of sections."""

from itertools import combinations

from browser import same

SCHEMES = ("light", "dark")

# Texts with less contrast than WCAG 2 AA demands of their size. Backgrounds that are partly transparent lie on those around them.
FAINT = """
    const channels = (text) => { const found = text.match(/[\\d.]+/g).map(Number); return text.startsWith('color(srgb') ? [...found.slice(0, 3).map((part) => 255 * part), found[3] ?? 1] : [...found.slice(0, 3), found[3] ?? 1]; };
    const over = ([r, g, b, a], below) => [r, g, b].map((part, at) => a * part + (1 - a) * below[at]);
    const ground = (made) => made ? over(channels(getComputedStyle(made).backgroundColor), ground(made.parentElement)) : [255, 255, 255];
    const light = (rgb) => { const [r, g, b] = rgb.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const seen = (made) => made.checkVisibility() && made.getBoundingClientRect().width > 1 && !made.closest(':disabled, .hidden, .skip, svg');
    return [...document.querySelectorAll('body *')].filter((made) => seen(made) && [...made.childNodes].some((child) => child.nodeType === 3 && child.data.trim())).flatMap((made) => {
        const below = ground(made), style = getComputedStyle(made), size = parseFloat(style.fontSize), opacity = Number(style.opacity);
        const [r, g, b, a] = channels(style.color), [high, low] = [light(over([r, g, b, a * opacity], below)), light(below)].sort((x, y) => y - x);
        const contrast = (high + 0.05) / (low + 0.05), wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
        return contrast < wanted ? [`${made.tagName} ${made.className} "${made.textContent.trim().slice(0, 30)}": ${contrast.toFixed(2)}`] : [];
    })"""


def contrasts(page):
    """Whatever is on the page can be read, in light and in dark."""
    for scheme in SCHEMES:
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        same((scheme, page.script(FAINT)), (scheme, []))


def legible(page, _):
    contrasts(page)
    same(page.script("return [...document.querySelectorAll('th')].filter((head) => !head.textContent.trim()).map((head) => head.closest('table').caption.textContent)"), [])
    # Calipers inside others are further to the right.
    same(page.script("return [...document.querySelectorAll('#regions .box:nth-of-type(1) tbody th span')].map((name) => [name.textContent, getComputedStyle(name).paddingLeft])"),
         [["TimeLoop", "0px"], ["Bound <halo>", "14px"], ["Part", "0px"]])
    # All threads of the picture have their labels.
    same(page.texts(".users .columns-of span"), [str(180 + thread) for thread in range(8)])
    # A line may break within a long text, but not within a number.
    same(page.script("return [breakable('libx.so: 0.39 %, 1,234'), breakable('a/b.1')].map((parts) => parts.map((part) => part.tagName || part))"),
         [["libx.", "WBR", "so:", "WBR", " 0.39 %,", "WBR", " 1,234"], ["a/", "WBR", "b.", "WBR", "1"]])
    # Numbers of bytes have the same unit everywhere.
    same(page.script("return (document.body.textContent.match(/0\\.\\d+ GB/g) || [])"), [])
    # Only a program or library that samples need is worth a warning.
    warned = page.script("return [...document.querySelectorAll('#run .state')].map((state) => [state.textContent, state.matches('.missing, .changed')])")
    same(warned, [["ok", False], ["missing", True], ["device", False]])
    # Findings have words, not the keys of the JSON report.
    same(page.texts(".finding:nth-child(1) .evidence div"), [
        "samples: 570, 69.5 % of their kind (95 % 66.3\u201372.6 %)", "most at: halo.F90:17 (copy)", "memory of: node 0", "nodes that use or hold it: nodes 0, 1, 2, 3",
        "initialised at: a_file_with_a_very_long_name_that_has_no_place_to_break_it_anywhere.F90:31 (read_grid)", "in regions: Bound <halo> 98 %"])


def sections(page, _):
    """The bar of sections shows all of them, or that there are more."""
    page.resize(1280)
    same(page.script("const bar = document.querySelector('nav'); return [bar.scrollWidth > bar.clientWidth, getComputedStyle(bar).backgroundImage]"), [False, "none"])
    page.resize(390)
    same(page.script("const bar = document.querySelector('nav'); return [bar.scrollWidth > bar.clientWidth, getComputedStyle(bar).backgroundImage.split('linear-gradient').length - 1]"), [True, 4])


def sixteen(page, _):
    """Sixteen nodes have sixteen colours that differ, in light and in dark."""
    for scheme in SCHEMES:
        page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        swatches = page.script("return [...document.querySelectorAll('#variables .legend .swatch:not(.node-unknown)')].map((made) => getComputedStyle(made).backgroundColor.match(/\\d+/g).map(Number))")
        same(len(swatches), 16)
        near = [(one, other) for one, other in combinations(range(16), 2) if sum((a - b) ** 2 for a, b in zip(swatches[one], swatches[other])) < 45 ** 2]
        same((scheme, near), (scheme, []))
    contrasts(page)


def shared_labels(page, _):
    """Each row and each column of the matrix of threads has its label."""
    same(page.texts("#sharing .rows-of span"), ["rank 2, 102 (OpenMP 0): 1", "rank 2, 202 (OpenMP 1): 2", "rank 2, 302 (OpenMP 2): 3", "rank 3, 103 (OpenMP 0): 4", "rank 3, 203 (OpenMP 1): 5"])
    same(page.texts("#sharing .columns-of span"), ["1", "2", "3", "4", "5"])
    contrasts(page)
