# SPDX-License-Identifier: Apache-2.0
"""Draws what the lookahead does to guided minimisation: threads, calls, runs and seconds against it, a line for each scope.

    draw(points, scopes, lookaheads)   the text of an SVG; points[scope, lookahead] = (threads, calls, runs, seconds)
"""
import math

WIDTH, HEIGHT = 820, 620
PANEL_WIDTH, PANEL_HEIGHT = 330, 200
LEFT, TOP, ACROSS, DOWN = 64, 92, 400, 274
TITLES = ("Threads left", "Calls left", "Runs", "Seconds")
COLOURS = ("#1f5fa8", "#c4570a")
DASHES = ("", ' stroke-dasharray="7 4"')
INK, FAINT = "#222222", "#dddddd"


def step_of(span):
    """A round distance of marks, of which about four fit."""
    rough = span / 4
    power = 10 ** math.floor(math.log10(rough))
    return next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= rough)


def marks_of(values):
    """From zero, so that a small difference looks small."""
    step = step_of(max(values))
    return [n * step for n in range(math.ceil(max(values) / step) + 1)]


def text(x, y, words, size=12, anchor="middle", extra=""):
    return '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s"%s>%s</text>' % (x, y, size, anchor, INK, extra, words)


def line(x1, y1, x2, y2, colour, width=1, extra=""):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%g"%s/>' % (x1, y1, x2, y2, colour, width, extra)


def dot(x, y, number):
    if number == 0:
        return '<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (x, y, COLOURS[0])
    return '<rect x="%.1f" y="%.1f" width="7" height="7" fill="white" stroke="%s" stroke-width="1.8"/>' % (x - 3.5, y - 3.5, COLOURS[number])


def axes(x0, y0, title, lookaheads, marks, place):
    parts = [text(x0 + PANEL_WIDTH / 2, y0 - 12, title, 14, extra=' font-weight="bold"')]
    for mark in marks:
        y = place(lookaheads[0], mark)[1]
        parts += [line(x0, y, x0 + PANEL_WIDTH, y, FAINT), text(x0 - 7, y + 4, "%.4g" % mark, anchor="end")]
    for ahead in lookaheads:
        x = place(ahead, marks[0])[0]
        parts += [line(x, y0 + PANEL_HEIGHT, x, y0 + PANEL_HEIGHT + 5, INK), text(x, y0 + PANEL_HEIGHT + 18, "%d" % ahead)]
    parts += [line(x0, y0 + PANEL_HEIGHT, x0 + PANEL_WIDTH, y0 + PANEL_HEIGHT, INK), line(x0, y0, x0, y0 + PANEL_HEIGHT, INK)]
    return parts + [text(x0 + PANEL_WIDTH / 2, y0 + PANEL_HEIGHT + 36, "lookahead, events")]


def panel(number, points, scopes, lookaheads):
    x0, y0 = LEFT + number % 2 * ACROSS, TOP + number // 2 * DOWN
    marks = marks_of([values[number] for values in points.values()])
    low, high, farthest = marks[0], marks[-1], max(lookaheads)
    place = lambda ahead, value: (x0 + 10 + (PANEL_WIDTH - 20) * ahead / farthest,
                                  y0 + PANEL_HEIGHT * (high - value) / (high - low))
    parts = axes(x0, y0, TITLES[number], lookaheads, marks, place)
    for i, scope in enumerate(scopes):
        course = [place(ahead, points[scope, ahead][number]) for ahead in lookaheads]
        parts.append('<polyline fill="none" stroke="%s" stroke-width="2"%s points="%s"/>' % (
            COLOURS[i], DASHES[i], " ".join("%.1f,%.1f" % at for at in course)))
        parts += [dot(x, y, i) for x, y in course]
    return parts


def legend(scopes):
    parts = [text(WIDTH / 2, 24, "Guided minimisation, one schedule a part: what the lookahead does", 16, extra=' font-weight="bold"')]
    for i, scope in enumerate(scopes):
        x = WIDTH / 2 - 220 + i * 250
        parts += [line(x, 47, x + 40, 47, COLOURS[i], 2, DASHES[i]), dot(x + 20, 47, i),
                  text(x + 48, 51, "counts events of the " + scope, anchor="start")]
    return parts


def draw(points, scopes, lookaheads):
    parts = legend(scopes)
    for number in range(len(TITLES)):
        parts += panel(number, points, scopes, lookaheads)
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif">\n'
            '<rect width="%d" height="%d" fill="white"/>\n%s\n</svg>\n' % (WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT, "\n".join(parts)))
