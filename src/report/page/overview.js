// SPDX-License-Identifier: Apache-2.0
//
// The overview of a run: what was found, how long was searched, how coverage grew. Its data is the document of --json. All
// text goes into the document as text, never as markup.

const $ = id => document.getElementById(id);
const run = JSON.parse($('data').textContent), words = JSON.parse($('words').textContent);
const SVG = 'http://www.w3.org/2000/svg';

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const number = n => n >= 1e15 ? n.toExponential(1) : Math.round(n).toLocaleString('en');
const short = n => n >= 1e15 ? n.toExponential(1) : n.toLocaleString('en', {notation: 'compact', maximumFractionDigits: 1});
const plural = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;
const duration = s => s < 1 ? `${Math.round(s * 1000)} ms` : s < 120 ? `${s.toFixed(1)} s` : `${Math.round(s / 60)} min`;
const lastPart = path => path.slice(path.lastIndexOf('/') + 1);
const shellWord = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";

// A search has bugs, many tests have bugs each.
const tests = run.tests || [], bugs = run.bugs || tests.flatMap(test => test.bugs);

// ---- what was found ----

function drawHead() {
  const count = bugs.length;
  $('kind').textContent = count ? plural(count, 'bug') : run.complete ? 'complete' : 'nothing found';
  $('kind').classList.add(count ? 'bad' : 'plain');
  $('message').textContent = lastPart(run.program || run.file);
  $('command').textContent = ['heddle', ...words].map(shellWord).join(' ');
}

function drawTiles() {
  const tiles = [['executions', number(run.executions)], ['time', duration(run.seconds)]];
  if (tests.length) tiles.push(...Object.entries(run.verdicts).filter(([, count]) => count).map(([verdict, count]) => [verdict, number(count)]));
  else tiles.push(['executions a second', number(run.executions_per_second)], ['strategy', run.strategy], ['seed', String(run.seed)],
    ['put back by', run.reset]);
  if (run.complete) tiles.push(['interleavings', 'all']);
  else if (run.estimate && run.estimate.known) tiles.push(['estimated in all', '≈ ' + short(run.estimate.executions)]);
  $('tiles').replaceChildren(...tiles.map(([name, value]) => h('li', {}, h('b', {}, value), h('span', {}, name))));
}

function bugItem(bug) {
  const facts = [bug.where, `after ${plural(bug.first_execution, 'execution')}`, plural(bug.preemptions, 'preemption')];
  if (bug.schedule) facts.push(lastPart(bug.schedule));
  if (bug.known) facts.push('in the baseline');
  if (bug.first_seen) facts.push(`first seen ${new Date(bug.first_seen).toLocaleString()}`);
  const content = [h('span', {class: `kind ${bug.kind === 'race' || bug.kind === 'leak' ? 'warning' : 'bad'}`, title: bug.kind}, bug.kind === 'race' || bug.kind === 'leak' ? '⚠' : '✗'),
    h('b', {}, bug.message), h('small', {}, facts.filter(Boolean).join(' · '))];
  content.push(...blameLine(bug));
  return h('li', {}, bug.page ? h('a', {href: encodeURIComponent(lastPart(bug.page))}, ...content) : h('div', {class: 'no-page'}, ...content),
    ...reducedItem(bug.minimised));
}

// Races on one variable stand together, where the first of them was found; of many variables, in few lines.
const RACES_MOST = 12;

function bugItems(list) {
  const found = list.filter(bug => bug.kind === 'race');
  if (found.length > RACES_MOST)
    return [...list.filter(bug => bug.kind !== 'race').map(bugItem),
      h('li', {class: 'group'}, h('b', {}, plural(found.length, 'data race')), h('ol', {class: 'races'}, ...found.map(bugItem)))];
  const variable = bug => bug.kind === 'race' && bug.parties[0] && bug.parties[0].object || null, races = new Map();
  for (const bug of list) if (variable(bug)) races.set(variable(bug), [...races.get(variable(bug)) || [], bug]);
  return list.flatMap(bug => {
    const group = races.get(variable(bug)) || [bug];
    if (group.length < 2) return [bugItem(bug)];
    return group[0] !== bug ? [] : [h('li', {class: 'group'}, h('b', {}, `${plural(group.length, 'data race')} on ${variable(bug)}`),
      h('ol', {}, ...group.map(bugItem)))];
  });
}

// What earlier searches left in the folder.
function knownItem(bug) {
  const content = [h('span', {class: `kind ${bug.state === 'fails' ? 'warning' : 'plain'}`, title: bug.state}, bug.state === 'passes' ? '✓' : '✗'),
    h('b', {}, bug.message), h('small', {}, [bug.where, bug.name, `seen ${new Date(bug.last).toLocaleString()}`, bug.state].filter(Boolean).join(' · '))];
  return h('li', {}, bug.page ? h('a', {href: encodeURIComponent(`${bug.name}.html`)}, ...content) : h('div', {class: 'no-page'}, ...content));
}

function drawKnown() {
  const known = JSON.parse($('known-bugs').textContent);
  $('known').hidden = !known.length;
  $('known').replaceChildren(h('h2', {}, 'Known from earlier searches'), h('ol', {class: 'bugs'}, ...known.map(knownItem)));
}

// A test, and what was found in it.
function testItems(test) {
  const facts = [test.verdict, plural(test.executions, 'execution'), duration(test.seconds)];
  if (test.verdict === 'incomplete') facts.push(`${Math.round(100 * test.share)} %`);
  return [h('li', {class: `test ${test.bugs.length ? 'bad' : test.verdict}`}, h('b', {}, test.name), h('small', {}, facts.join(' · ')),
    ...(test.bugs.length || !test.remark ? [] : [h('small', {}, test.remark)])), ...bugItems(test.bugs)];
}

// Text with names between backticks.
function prose(text) {
  return text.split(/(`[^`]*`)/).map(part => part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : part);
}

// Which accesses the switch to blame came between.
function blameLine(bug) {
  const pattern = bug.blame && bug.blame.patterns && bug.blame.patterns[0];
  return pattern ? [h('em', {}, ...prose(pattern.sentence))] : [];
}

// The smallest part of a stress test that fails.
function reducedItem(reduced) {
  if (!reduced) return [];
  const {after, before, bug} = reduced, facts = [plural(reduced.runs, 'run'), duration(reduced.seconds)];
  if (reduced.test) facts.push(lastPart(reduced.test));
  const content = [h('b', {}, `${plural(after.threads, 'thread')}, ${plural(after.calls, 'call')} of ${plural(before.threads, 'thread')}, ${plural(before.calls, 'call')} are enough`),
    h('small', {}, facts.join(' · ')), h('code', {}, callsText(reduced.calls)), ...(bug ? blameLine(bug) : [])];
  return [bug && bug.page ? h('a', {class: 'reduced', href: encodeURIComponent(lastPart(bug.page))}, ...content) :
    h('div', {class: 'reduced no-page'}, ...content)];
}

// A line for each thread, of few calls.
function callsText(calls) {
  const threads = new Map(), most = 12;
  for (const c of calls.slice(0, most)) threads.set(c.thread, [...threads.get(c.thread) || [], `${c.operation}(${c.a}, ${c.b})`]);
  return [...threads].map(([thread, list]) => `thread ${thread}: ${list.join('; ')}`).join('\n') + (calls.length > most ? '\n…' : '');
}

// ---- plots ----

const WIDTH = 460, HEIGHT = 190, LEFT = 44, BOTTOM = 24, TOP = 8, RIGHT = 24;

// Curves over the number of executions, which is drawn by its logarithm: most is found early.
function growthPlot(growth, curves) {
  const most = Math.max(1, ...curves.map(c => growth.at(-1)[c.key])), end = Math.log(Math.max(2, growth.at(-1).executions));
  const x = n => LEFT + Math.log(Math.max(1, n)) / end * (WIDTH - LEFT - RIGHT), y = v => HEIGHT - BOTTOM - v / most * (HEIGHT - BOTTOM - TOP);
  const drawing = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': 'growth of coverage over executions'},
    svg('path', {class: 'axis', fill: 'none', d: `M${LEFT},${TOP} V${HEIGHT - BOTTOM} H${WIDTH - RIGHT}`}));
  const label = (text, at) => drawing.append(svg('text', {class: 'tick', ...at}, text));
  label(number(most), {x: LEFT - 6, y: TOP + 8, 'text-anchor': 'end'});
  label('0', {x: LEFT - 6, y: HEIGHT - BOTTOM, 'text-anchor': 'end'});
  for (let n = 1; n <= growth.at(-1).executions; n *= 10) label(number(n), {x: x(n), y: HEIGHT - 8, 'text-anchor': 'middle'});
  for (const curve of curves) {
    const path = growth.map((g, i) => i ? `H${x(g.executions)} V${y(g[curve.key])}` : `M${x(g.executions)},${y(g[curve.key])}`).join(' ');
    drawing.append(svg('path', {class: `curve ${curve.lane}`, d: `${path} H${WIDTH - RIGHT}`}));
  }
  return drawing;
}

function coverageFigure(coverage) {
  const curves = [{key: 'points', name: 'scheduling points', lane: 'lane-1'}, {key: 'pairs', name: 'conflicts', lane: 'lane-2'},
    {key: 'both_orders', name: 'in both orders', lane: 'lane-3'}];
  return h('figure', {}, h('figcaption', {}, 'Coverage over executions',
    ...curves.map(c => h('span', {class: c.lane}, `${c.name} ${number(coverage[c.key])}`))), growthPlot(coverage.growth, curves));
}

function progressFigure() {
  const total = run.complete ? run.executions : run.estimate.executions;
  const share = Math.min(1, total ? run.executions / total : 0);
  const range = run.complete ? 'all interleavings were run' :
    `${number(run.executions)} of about ${number(total)} (${number(run.estimate.low)} to ${number(run.estimate.high)})`;
  return h('figure', {}, h('figcaption', {}, 'Progress of the exhaustive search', h('span', {class: 'lane-0'}, range)),
    svg('svg', {viewBox: `0 0 ${WIDTH} 26`, role: 'img', 'aria-label': range}, svg('rect', {class: 'rest', width: WIDTH, height: 22, rx: 4}),
      svg('rect', {class: 'bar', width: Math.max(2, share * WIDTH), height: 22, rx: 4})));
}

// Executions over time; beside them, in an exhaustive search, how many there seemed to be in all.
function paceFigure(points) {
  const estimates = points.filter(p => p.estimate), last = points.at(-1);
  const most = Math.max(1, last.executions, ...(estimates.length ? [Math.min(estimates.at(-1).estimate, 20 * last.executions)] : []));
  const x = s => LEFT + s / last.seconds * (WIDTH - LEFT - RIGHT), y = v => HEIGHT - BOTTOM - Math.min(1, v / most) * (HEIGHT - BOTTOM - TOP);
  const drawing = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': 'executions over time'},
    svg('path', {class: 'axis', fill: 'none', d: `M${LEFT},${TOP} V${HEIGHT - BOTTOM} H${WIDTH - RIGHT}`}));
  const label = (text, at) => drawing.append(svg('text', {class: 'tick', ...at}, text));
  label(number(most), {x: LEFT + 4, y: TOP + 8});
  label('0', {x: LEFT - 6, y: HEIGHT - BOTTOM, 'text-anchor': 'end'});
  for (const part of [0, 0.5, 1]) label(duration(part * last.seconds), {x: x(part * last.seconds), y: HEIGHT - 8, 'text-anchor': 'middle'});
  const line = (list, key) => list.map((p, i) => `${i ? 'L' : 'M'}${x(p.seconds)},${y(p[key])}`).join(' ');
  drawing.append(svg('path', {class: 'curve lane-1', d: `M${x(0)},${y(0)} ${line(points, 'executions').replace('M', 'L')}`}));
  const keys = [h('span', {class: 'lane-1'}, `executions ${number(last.executions)}`)];
  if (estimates.length > 1) {
    drawing.append(svg('path', {class: 'curve dashed lane-2', d: line(estimates, 'estimate')}));
    keys.push(h('span', {class: 'lane-2'}, `estimated in all ${number(estimates.at(-1).estimate)}`));
  }
  return h('figure', {}, h('figcaption', {}, 'Executions over time', ...keys), drawing);
}

function drawPlots() {
  const figures = [];
  if (run.progress && run.progress.length > 2) figures.push(paceFigure(run.progress));
  if (run.coverage && run.coverage.growth && run.coverage.growth.length) figures.push(coverageFigure(run.coverage));
  if (run.complete || run.estimate && run.estimate.known) figures.push(progressFigure());
  $('plots').replaceChildren(...figures);
}

// ---- hotspots ----

function drawHotspots() {
  const spots = run.hotspots || [];
  $('hotspots').hidden = !spots.length;
  const cells = (tag, ...values) => h('tr', {}, ...values.map(value => h(tag, {}, value)));
  $('hotspots').replaceChildren(h('h2', {}, 'Hotspots'), h('table', {}, cells('th', 'name', 'place', 'expected', 'executions', ''),
    ...spots.map(s => cells('td', s.name, s.where || '', s.expected, number(s.executions),
      s.met ? 'as expected' : h('span', {class: 'missed'}, 'not as expected')))));
}

// ---- theme ----

function theme() {
  const root = document.documentElement.dataset;
  const dark = root.theme === 'dark' || (!root.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  root.theme = dark ? 'light' : 'dark';
  try { localStorage.setItem('heddle-theme', root.theme); } catch { /* it is forgotten */ }
}

try { document.documentElement.dataset.theme = localStorage.getItem('heddle-theme') || ''; } catch { /* none */ }
$('theme').addEventListener('click', theme);
addEventListener('keydown', e => e.key === 't' && !e.ctrlKey && !e.metaKey && theme());
drawHead();
drawTiles();
$('bugs').replaceChildren(...(tests.length ? tests.flatMap(testItems) : bugItems(bugs)));
drawKnown();
drawPlots();
drawHotspots();
