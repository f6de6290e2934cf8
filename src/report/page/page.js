// SPDX-License-Identifier: Apache-2.0
//
// The page of one execution: lanes, stepping, filters, and the panels that follow the current step. All text goes into the
// document as text, never as markup.
//
// A step on the page is an item, one number: below EVENTS.length an event, then what the threads were about to do at the
// end (LEFT), then the end itself (a failed check), when it is no event.
const $ = id => document.getElementById(id);
const END = EVENTS.length + LEFT.length;
const ROW_HEIGHT = 30; // of .compact in page.css
const told = new Map(trace.told.map(([first, last, marks, remark]) =>
  [first, {last: last || first, switched: marks || 0, remark: trace.texts[remark || 0]}]));

// Events that the blame is about: event -> number from 1, in the order of time. A run that passed may have had others.
const blamed = new Map((bug?.blame?.patterns?.[0]?.events ?? []).filter(({step}) => step)
  .map(({step}) => ({i: eventOfStep(step), step})).filter(({i, step}) => i >= 0 && EVENTS[i][F.step] === step)
  .sort((a, b) => a.i - b.i).map(({i}, k) => [i, k + 1]));
for (const i of blamed.keys()) // they are told even if the story does without them
  if (told.size && ![...told].some(([first, {last}]) => first <= i && i <= last)) told.set(i, {last: i, switched: 0, remark: ''});

const view = {all: !told.size, items: [], lanes: [], at: 0, hidden: new Set(), filter: ''};

// An element: h('b', {class: 'x', onclick: f}, 'text', child).
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  element.append(...children.filter(child => child !== null && child !== undefined && child !== ''));
  return element;
}

const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

// ---- items ----

const isEvent = item => item < EVENTS.length;

function itemOf(item) {
  if (isEvent(item)) return event(item);
  if (item < END) return leftEvent(item - EVENTS.length);
  return {thread: bug.end.thread, phrase: bug.end.phrase, place: placeOf(bug.end.place), text: bug.end.text, op: 'end',
    object: 0, stack: [], value: '', before: '', holder: -1};
}

function threadOf(item) {
  if (isEvent(item)) return EVENTS[item][F.thread];
  return item < END ? LEFT[item - EVENTS.length][F.thread] : bug.end.thread;
}

// Events performed once the item is done.
function countAt(item) {
  if (!isEvent(item)) return EVENTS.length;
  return 1 + (!view.all && told.has(item) ? told.get(item).last : item);
}

function matches(item) {
  if (view.hidden.has(threadOf(item))) return false;
  if (!view.filter) return true;
  const row = isEvent(item) ? EVENTS[item] : item < END ? LEFT[item - EVENTS.length] : null;
  const place = placeOf(row ? row[F.place] || 0 : bug.end.place);
  const text = (row ? objectName(row[F.object] || 0) : bug.end.text) + '\n' + (place ? place.name + '\n' + place.fn : '');
  return text.toLowerCase().includes(view.filter);
}

// How it ended: who could not go on, those first that do not merely wait for another one's end; or the failed check.
function endItems() {
  if (bug && bug.end) return [END];
  const stuck = bug && (bug.kind === 'deadlock' || bug.kind === 'hang' || heldAtEnd().length > 0);
  const joins = trace.operations.indexOf('join');
  return LEFT.map((row, i) => ({item: EVENTS.length + i, joins: row[F.op] === joins})).filter(() => stuck || view.all)
    .sort((a, b) => a.joins - b.joins).map(left => left.item);
}

function chooseItems() {
  const events = view.all ? Array.from(EVENTS.keys()) : [...told.keys()].sort((a, b) => a - b);
  view.items = [...events, ...endItems()].filter(matches);
  const threads = new Set(view.items.map(threadOf));
  view.lanes = trace.threads.map((_, t) => t).filter(t => threads.has(t)).sort((a, b) => processOf(a) - processOf(b) || a - b);
}

// ---- lanes ----

const LANES_MOST = 4;

// Monitors that have a lane of their own: those that the story tells of, violated ones first, or else any.
function chooseMonitors() {
  const isTold = ({event: i}) => [...told].some(([first, {last}]) => first <= i && i <= last);
  const rank = ({readings}) => readings.some(r => r.violated) ? 2 : readings.some(isTold) ? 1 : 0;
  const ranked = MONITORS.map((monitor, i) => ({i, rank: rank(monitor)})).filter(m => m.rank || !told.size);
  return ranked.sort((a, b) => b.rank - a.rank || a.i - b.i).slice(0, LANES_MOST).map(m => m.i).sort((a, b) => a - b);
}

const lanesOfMonitors = chooseMonitors();
const FIRST_LANE = 2 + lanesOfMonitors.length; // its column

// The states that monitors come to by the steps since the row before.
function states(item, before) {
  const count = countAt(item), from = before === undefined ? 0 : countAt(before);
  return lanesOfMonitors.map((monitor, k) => {
    const now = readingAfter(monitor, count), was = readingAfter(monitor, from);
    if (!now || now === was) return null;
    const own = isEvent(item) && item <= now.event, changed = !was || was.state !== now.state || now.violated;
    return h('span', {class: ['state', now.violated && 'bad', own || 'dim', changed || 'same'].filter(word => typeof word === 'string').join(' '),
      title: `${MONITORS[monitor].name}: ${now.state} by ${now.name} of ${threadName(now.thread)}`,
      style: `grid-column: ${k + 2}`}, changed ? now.state : '·');
  });
}

// Threads that are held back meanwhile, marked in their lanes.
function heldMarks(item, lanes) {
  return lanes.map((t, i) => isHeld(t, countAt(item), !isEvent(item)) ?
    h('i', {class: `held-mark lane-${t % 8}`, title: `${threadName(t)} is held back`, style: `grid-column: ${FIRST_LANE + i}`}) : null);
}

function operation(e) {
  const parts = [e.phrase + ' '];
  if (e.object) parts.push(h('b', {}, objectName(e.object)), ' ');
  if (e.text) parts.push(h('code', {}, e.text));
  if (e.second && e.op === 'cond-wait') parts.push('and releases ', h('b', {}, objectName(e.second)), ' ');
  if (e.before && e.value && e.before !== e.value) parts.push(h('span', {class: 'value'}, h('s', {}, e.before), ' → ', e.value));
  else if (e.value) parts.push(h('span', {class: 'value'}, (/write|store|rmw/.test(e.op) ? '← ' : '→ ') + e.value));
  if (e.sent && !e.signal) parts.push('from ', h('b', {}, threadName(EVENTS[eventOfStep(e.sent)][F.thread])), ' ');
  if (e.blocked && e.holder >= 0) parts.push('held by ', h('b', {}, threadName(e.holder)));
  return parts;
}

function sourceText(place) {
  const file = place && place.file && trace.files[place.file];
  return file && file.lines && file.lines[place.line - 1] !== undefined ? file.lines[place.line - 1].trim() : '';
}

// Both sides of data races: an event knows the step of the other side, if that came before.
const raceSteps = new Set(EVENTS.map(row => row[F.race] || 0));
const races = e => e.isRace || (e.step && raceSteps.has(e.step));

// The numbers of what the blame is about in a row, which may stand for several events alike.
function numbersOf(item, times) {
  return [...blamed].filter(([i]) => item <= i && i < item + times).map(([, number]) => number);
}

const badge = number => h('span', {class: 'badge', title: 'what the blame is about'}, number);

function card(item, e) {
  const note = isEvent(item) && told.get(item);
  const times = note && !view.all && note.last > item ? note.last - item + 1 : 1;
  const numbers = isEvent(item) ? numbersOf(item, times) : [];
  const content = h('div', {class: 'card'}, ...numbers.map(badge), h('span', {class: 'what'}, ...operation(e)));
  if (note && note.remark) content.append(h('span', {class: 'remark'}, note.remark));
  else if (e.held) content.append(h('span', {class: 'aside held'}, `held${isEvent(item) ? '' : ' back'} since step ${e.held}`));
  else if (e.signal) content.append(h('span', {class: 'aside'}, `handler of ${e.signal}`));
  else if (races(e)) content.append(h('span', {class: bug && bug.kind === 'race' ? 'remark' : 'aside'}, 'data race'));
  if (times > 1) content.append(h('span', {class: 'times'}, `${times} times`));
  content.append(h('span', {class: 'where'}, e.place ? e.place.name : '', ' ',
    !view.all && e.op !== 'end' ? h('code', {}, sourceText(e.place)) : ''));
  return content;
}

// Whether the switch that is to blame lies between two items: it is known by the first step behind it.
function isBlamed(before, item) {
  const then = bug && bug.blame && bug.blame.switch && bug.blame.switch.then;
  return !!then && isEvent(item) && EVENTS[before][F.step] < then.step && then.step <= EVENTS[item][F.step];
}

const SWITCHED = 3; // of the flags, as event.switched

function preemptedBetween(from, item) {
  for (let i = from; i <= item; i++)
    if (((EVENTS[i][F.flags] || 0) & SWITCHED) === PREEMPTED) return true;
  return false;
}

// From whom to whom, when another thread ran before.
function switchMark(item, e, before, lanes) {
  if (before === undefined || !isEvent(before) || threadOf(before) === e.thread || (!isEvent(item) && item < END)) return null;
  const from = lanes.indexOf(threadOf(before)), to = lanes.indexOf(e.thread);
  const preempted = isEvent(item) && preemptedBetween(countAt(before), item);
  const isToBlame = isBlamed(before, item);
  const label = isToBlame ? 'to blame' : preempted ? threadName(threadOf(before)) + ' preempted' : 'switch';
  const mark = h('span', {class: 'switch-mark' + (preempted ? ' preempted' : '') + (isToBlame ? ' blamed' : '') + (from > to ? ' leftwards' : ''),
    style: `grid-column: ${Math.min(from, to) + FIRST_LANE} / ${Math.max(from, to) + FIRST_LANE}`});
  if (!view.all) mark.append(h('span', {}, label));
  return mark;
}

function row(k, lanes) {
  const item = view.items[k], e = itemOf(item), note = isEvent(item) && told.get(item);
  const mark = switchMark(item, e, view.items[k - 1], lanes);
  const content = card(item, e);
  const classes = ['row', `lane-${e.thread % 8}`, k === view.at && 'current', mark && 'switched', !isEvent(item) && 'ending',
    note && view.all && 'matters', content.querySelector('.badge') && 'blamed-step', (e.deadlock || e.op === 'end') && 'bad'];
  content.style.gridColumn = `${lanes.indexOf(e.thread) + FIRST_LANE} / -1`;
  return h('div', {class: classes.filter(Boolean).join(' '), 'data-k': k, onclick: () => go(k)},
    h('span', {class: 'step'}, isEvent(item) ? e.step : ''), ...states(item, view.items[k - 1]), ...heldMarks(item, lanes), mark, content);
}

function gap(k) {
  const item = view.items[k], before = view.items[k - 1];
  const from = before === undefined ? 0 : countAt(before), to = isEvent(item) ? item : EVENTS.length;
  if (view.all || to - from < 1) return null;
  return h('button', {class: 'gap', title: `${plural(to - from, 'step')} left out: show`, onclick: () => showAll(from)},
    to - from < 10000 ? `+${to - from}` : `+${Math.round((to - from) / 1000)}k`);
}

// The last lane has the room that is left, and at least enough for a card. On a narrow screen lanes are as near to each other as
// that takes, as long as one can tell them apart.
function setColumns(box, count) {
  const narrow = box.clientWidth < 560, others = Math.max(count - 1, 0), card = narrow ? 250 : 290;
  const width = narrow ? Math.max(26, Math.min(44, Math.floor((box.clientWidth - 56 - card) / others))) :
    count > 10 ? 44 : count > 5 ? 76 : count > 3 ? 100 : 130;
  const monitors = lanesOfMonitors.length, state = narrow ? 64 : 118;
  box.style.setProperty('--columns', `56px ${`${state}px `.repeat(monitors)}${`${width}px `.repeat(others)} minmax(0, 1fr)`);
  box.style.setProperty('--least', `${56 + monitors * state + others * width + card}px`);
}

// Above the lanes of each process, its program and where it began.
function processNames(lanes) {
  const groups = lanes.filter((t, i) => i === 0 || processOf(t) !== processOf(lanes[i - 1])).map(processOf);
  return groups.map(process => {
    const at = lanes.findIndex(t => processOf(t) === process), count = lanes.filter(t => processOf(t) === process).length;
    const {program, forked_at} = trace.processes[process], last = at + count === lanes.length;
    return h('span', {class: 'process', title: processTitle(process), style: `grid-column: ${at + FIRST_LANE} / ${last ? -1 : at + count + FIRST_LANE}`},
      program.slice(program.lastIndexOf('/') + 1), ' ', h('small', {}, forked_at ? `forked at ${forked_at}` : ''));
  });
}

const beginsProcess = (lanes, i) => hasProcesses && (i === 0 || processOf(lanes[i]) !== processOf(lanes[i - 1]));

// Without the name that the program gave it, which stands below.
function bareName(thread) {
  const name = threadName(thread), given = ':' + trace.given_names[thread];
  return name.endsWith(given) ? name.slice(0, -given.length) : name;
}

function drawNames(lanes) {
  $('names').replaceChildren(...(hasProcesses ? processNames(lanes) : []), h('span', {class: 'step'}, 'step'),
    ...lanesOfMonitors.map((monitor, k) => h('span', {class: 'monitor', title: `states of the monitor ${MONITORS[monitor].name}`,
      style: `grid-column: ${k + 2}`}, MONITORS[monitor].property, ' ',
      h('small', {}, MONITORS[monitor].name.slice(MONITORS[monitor].property.length)))),
    ...lanes.map(t => h('button', {class: `name lane-${t % 8}`, title: `${threadName(t)}: hide`,
      onclick: () => toggleThread(t)}, bareName(t), ' ',
      trace.given_names[t] ? h('small', {}, trace.given_names[t]) : '')));
}

// Story: all rows are there. All steps: only those in sight and some around.
function drawRows() {
  const lanes = view.lanes, rows = $('rows'), box = $('lanes');
  setColumns(box, lanes.length);
  box.classList.toggle('compact', view.all);
  drawNames(lanes);
  const lines = h('div', {class: 'lines'}, ...lanesOfMonitors.map((_, k) => h('i', {class: 'monitor', style: `grid-column: ${k + 2}`})),
    ...lanes.map((t, i) => h('i', {class: `lane-${t % 8}${beginsProcess(lanes, i) && i ? ' apart' : ''}`, style: `grid-column: ${i + FIRST_LANE}`})));
  if (!view.all || printing) {
    rows.style.height = '';
    const list = printing && view.all ? view.items.slice(0, PRINTED_MOST) : view.items;
    rows.replaceChildren(lines, ...list.flatMap((_, k) => [gap(k), row(k, lanes)].filter(Boolean)));
  } else {
    const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 20);
    const last = Math.min(view.items.length, first + Math.ceil(box.clientHeight / ROW_HEIGHT) + 40);
    rows.style.height = view.items.length * ROW_HEIGHT + 'px';
    const part = h('div', {class: 'part', style: `top: ${first * ROW_HEIGHT}px`});
    for (let k = first; k < last; k++) part.append(row(k, lanes));
    rows.replaceChildren(lines, part);
  }
  if (!view.items.length) rows.append(h('p', {class: 'nothing'}, 'No step passes the filter.'));
  drawMessages(rows, lanes);
}

// ---- messages ----

// The row that tells of an event, which may stand for several alike; -1 for none.
function rowOfEvent(i) {
  const exact = view.items.indexOf(i);
  if (exact >= 0 || view.all) return exact;
  return view.items.findIndex(item => isEvent(item) && told.has(item) && item <= i && i <= told.get(item).last);
}

// Where the arrow of a row begins or ends: at the line of its lane. Rows out of sight are known by their number alone.
function anchor(rows, k) {
  const row = rows.querySelector(`[data-k="${k}"]`), card = row && row.querySelector('.card');
  if (!card) return null;
  const box = rows.getBoundingClientRect(), at = card.getBoundingClientRect();
  return {x: at.left - box.left - 13, y: at.top - box.top + Math.min(at.height / 2, 14)};
}

// From who sent to who received: bytes through pipes and sockets, signals to their handlers.
function drawMessages(rows) {
  const arrows = [];
  rows.querySelectorAll('[data-k]').forEach(row => {
    const item = view.items[row.dataset.k], sent = isEvent(item) ? EVENTS[item][F.sent] || 0 : 0;
    const from = sent ? rowOfEvent(eventOfStep(sent)) : -1;
    const start = from >= 0 && threadOf(view.items[from]) !== threadOf(item) ? anchor(rows, from) : null, end = start && anchor(rows, row.dataset.k);
    if (!end) return;
    const bend = Math.min(40, Math.abs(end.y - start.y) / 2);
    arrows.push(svg('path', {d: `M${start.x},${start.y} C${start.x},${start.y + bend} ${end.x},${end.y - bend} ${end.x},${end.y - 3}`, 'marker-end': 'url(#message-head)'},
      svg('title', {}, `${threadName(threadOf(view.items[from]))} sent it at step ${sent}`)));
  });
  if (arrows.length)
    rows.append(svg('svg', {class: 'messages', 'aria-hidden': 'true'}, svg('defs', {}, arrowHead('message-head')), ...arrows));
}

// Sideways only if there are more lanes than fit.
function scrollToLane(box) {
  const lane = $('names').querySelectorAll('.name')[view.lanes.indexOf(threadOf(view.items[view.at]))];
  const left = lane ? lane.offsetLeft : 0, room = 240; // for what is best seen of a card
  if (left < box.scrollLeft || left + room > box.scrollLeft + box.clientWidth) box.scrollLeft = left + room - box.clientWidth;
}

function scrollToCurrent() {
  const box = $('lanes'), top = $('names').offsetHeight;
  scrollToLane(box);
  if (view.all) {
    const y = view.at * ROW_HEIGHT, height = box.clientHeight - top;
    if (y < box.scrollTop || y + ROW_HEIGHT > box.scrollTop + height) box.scrollTop = Math.max(0, y - height / 2);
    drawRows();
  } else {
    $('rows').querySelector('.current')?.scrollIntoView({block: 'nearest'});
  }
}

// ---- source ----

const KEYWORDS = new Set(('auto break case catch char class const constexpr continue default delete do double else enum extern ' +
  'false float for goto if inline int long namespace new nullptr operator private public register return short signed sizeof ' +
  'static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while bool ' +
  'NULL size_t').split(' '));
const TOKEN = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#\s*\w+|[A-Za-z_]\w*|\d[\w.]*/g;

// A line of C with its words marked; returns whether a comment goes on behind it.
function highlight(line, text, inComment) {
  let from = 0;
  if (inComment) {
    const end = text.indexOf('*/');
    from = end < 0 ? text.length : end + 2;
    line.append(h('i', {class: 'comment'}, text.slice(0, from)));
    if (end < 0) return true;
  }
  let open = false;
  TOKEN.lastIndex = from;
  for (let m; (m = TOKEN.exec(text));) {
    const word = m[0], kind = /^\/[/*]/.test(word) ? 'comment' : /^["']/.test(word) ? 'string' : word[0] === '#' ? 'keyword' :
      KEYWORDS.has(word) ? 'keyword' : /^\d/.test(word) ? 'number' : '';
    if (!kind) continue;
    line.append(text.slice(from, m.index), h('i', {class: kind}, word));
    from = m.index + word.length;
    open = word.startsWith('/*') && !word.endsWith('*/');
  }
  line.append(text.slice(from) || (from ? '' : '\u200b'));
  return open;
}

const WHOLE_FILE = 4000, AROUND = 300;
let fileShown = '';

function drawFile(place, file) {
  const whole = file.lines.length <= WHOLE_FILE;
  const from = whole ? 0 : Math.max(0, place.line - AROUND), to = whole ? file.lines.length : place.line + AROUND;
  const shown = `${place.file}:${from}`;
  if (shown === fileShown) return;
  fileShown = shown;
  let open = false;
  $('code').replaceChildren(...file.lines.slice(from, to).map((text, i) => {
    const line = h('span', {class: 'text'});
    open = highlight(line, text, open);
    return h('div', {class: 'line', 'data-line': from + i + 1}, h('span', {class: 'number'}, from + i + 1), line);
  }));
}

// Where another thread stands: before its next event.
function standing(thread, count, atEnd) {
  const next = firstAfter(eventsOf[thread] || [], count - 1);
  const row = next !== undefined ? EVENTS[next] : LEFT.find(r => r[F.thread] === thread);
  if (!row || !(eventsOf[thread] || []).length || eventsOf[thread][0] >= count) return null;
  return {place: placeOf(row[F.place] || 0), waits: !!waitOf(thread, count, atEnd)};
}

function markLine(line, thread, text, isCurrent) {
  const element = $('code').querySelector(`[data-line="${line}"]`);
  if (!element) return null;
  element.className = `line ${isCurrent ? 'here' : 'there'} lane-${thread % 8}`;
  element.append(h('span', {class: `stand lane-${thread % 8}`}, text));
  return element;
}

function drawSource(e, count, atEnd) {
  const place = e.place, file = place && place.file && trace.files[place.file];
  $('place').textContent = place ? place.name : 'No place in the source';
  $('function').textContent = place && place.fn ? 'in ' + place.fn : '';
  if (!file || !file.lines) {
    fileShown = '';
    $('code').replaceChildren(h('p', {class: 'nothing'}, place ? 'Its source was not at hand when this page was made.' : ''));
    return;
  }
  drawFile(place, file);
  for (const line of $('code').querySelectorAll('.here, .there')) {
    line.className = 'line';
    line.querySelectorAll('.stand').forEach(mark => mark.remove());
  }
  trace.threads.forEach((_, t) => {
    const other = t !== e.thread && standing(t, count, atEnd);
    if (other && other.place && other.place.file === place.file)
      markLine(other.place.line, t, threadName(t) + (other.waits ? ' waits' : ''), false);
  });
  const here = markLine(place.line, e.thread, threadName(e.thread), true), box = $('code');
  if (here) box.scrollTop = here.offsetTop - box.clientHeight / 2 + here.offsetHeight / 2;
}

// ---- the other panels ----

function stepLink(step) {
  const i = eventOfStep(step);
  if (i < 0 || EVENTS[i][F.step] !== step) return `step ${step}`;
  return h('button', {class: 'link', onclick: () => goToEvent(i)}, `step ${step}`);
}

// With the thread whose step it is.
function threadStep(step) {
  const i = eventOfStep(step);
  const known = i >= 0 && EVENTS[i][F.step] === step;
  return h('span', {}, stepLink(step), known ? ` (${threadName(EVENTS[i][F.thread])})` : '');
}

function drawDetails(item, e) {
  const facts = [['thread', h('span', {class: `thread lane-${e.thread % 8}`}, threadName(e.thread))],
    ...(hasProcesses ? [['process', processTitle(processOf(e.thread))]] : []),
    [isEvent(item) ? 'does' : item < END ? e.blocked ? 'stuck' : 'next' : 'ends', h('span', {}, ...operation(e))]];
  const kind = objectKind(e.object);
  if (kind && kind !== 'memory' && kind !== 'thread' && kind !== 'nothing') facts.push(['object', `${objectName(e.object)}, a ${kind}`]);
  if (e.held) facts.push([isEvent(item) ? 'was held' : 'is held', h('span', {}, 'back since ', threadStep(e.held))]);
  else if (e.waited) facts.push([isEvent(item) ? 'waited' : 'waits', h('span', {}, 'since ', threadStep(e.waited))]);
  if (e.sent) facts.push([e.signal ? `${e.signal} from` : 'sent by', threadStep(e.sent)]);
  if (e.woken) facts.push(['woken by', threadStep(e.woken)]);
  if (e.race) facts.push(['races with', threadStep(e.race)]);
  else if (e.isRace) facts.push(['races', 'nothing orders it and an access of another thread']);
  e.stack.slice(1, 6).forEach((place, i) => facts.push([i ? '' : 'called from', place.name + (place.fn ? ' in ' + place.fn : '')]));
  $('details').replaceChildren(...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function drawGraph(count, atEnd) {
  const drawing = drawWaits(count, atEnd), cycle = drawing && drawing.dataset.cycle > 0;
  $('waits').replaceChildren(drawing || h('p', {class: 'nothing'}, 'No lock is held, no thread waits.'));
  $('waits-note').textContent = cycle ? 'a circle: none of them can go on' : drawing ? 'solid: waits for; dashed: is held by' : '';
  $('waits-panel').classList.toggle('cycle', !!cycle);
}

const READINGS_MOST = 8;

// For each monitor what it read and the states that led to, and who is held back in the end.
function drawMonitors(item, count) {
  const read = MONITORS.map(({name, readings}) => ({name, readings: readings.filter(({event: i}) => i < count)})).filter(m => m.readings.length);
  const held = isEvent(item) ? [] : heldAtEnd();
  $('monitors-panel').hidden = !read.length && !held.length;
  $('monitors').replaceChildren(...read.map(({name, readings}) => h('tr', {}, h('th', {}, name), h('td', {},
    readings.length > READINGS_MOST ? '… ' : '',
    ...readings.slice(-READINGS_MOST).flatMap(({name: event, state, thread, event: i, violated}) => [
      h('button', {class: `link lane-${thread % 8}${i === count - 1 ? ' fresh' : ''}`, title: `${threadName(thread)}, go there`,
        onclick: () => goToEvent(i)}, event), h('b', {class: violated ? 'bad' : ''}, ` ${state} `)])))),
    ...held.map(({thread, what}) => h('tr', {}, h('th', {}, threadName(thread)), h('td', {}, h('em', {class: 'held'}, `is held before ${what}`)))));
}

const CELLS_MOST = 10;
const toldObjects = new Set([...told.keys()].map(i => EVENTS[i][F.object] || 0));

// What the story is about first, then what was used last.
function drawMemory(item, e, count) {
  const cells = [...memoryAfter(count)].sort(([a, x], [b, y]) =>
    toldObjects.has(b) - toldObjects.has(a) || (toldObjects.has(a) ? a - b : y.touched - x.touched));
  const shown = cells.slice(0, CELLS_MOST);
  $('memory-panel').hidden = !cells.length;
  $('memory').replaceChildren(h('tr', {}, h('th', {}, 'cell'), h('th', {}, 'value'), h('th', {}, 'written last by')),
    ...shown.map(([object, cell]) => {
      const fresh = isEvent(item) && cell.event === count - 1 && cell.writer >= 0, value = trace.texts[cell.value || 0];
      const was = trace.texts[cell.was || 0];
      return h('tr', {class: (object === e.object ? 'used' : '') + (fresh ? ' fresh' : '')},
        h('td', {}, objectName(object)),
        h('td', {class: 'value'}, cell.freed ? h('em', {}, 'freed') : fresh && was && was !== value ?
          h('span', {}, h('s', {}, was), ' ', value) : value || '?'),
        h('td', {}, cell.writer < 0 ? h('span', {class: 'dim'}, 'nobody yet') :
          h('span', {}, h('span', {class: `thread lane-${cell.writer % 8}`}, threadName(cell.writer)), ' ', stepNumber(cell.event))));
    }),
    cells.length > shown.length ? h('tr', {}, h('td', {colspan: 3, class: 'dim'}, `… and ${plural(cells.length - shown.length, 'more cell')}`)) : '');
}

function stepNumber(i) {
  return h('button', {class: 'link dim', title: 'go there', onclick: () => goToEvent(i)}, `step ${EVENTS[i][F.step]}`);
}

// ---- moving ----

function drawPanels() {
  const item = view.items[view.at];
  $('position').textContent = view.items.length ? `${(view.at + 1).toLocaleString('en')} of ${view.items.length.toLocaleString('en')}` : 'none';
  for (const [id, off] of [['previous', view.at <= 0], ['first', view.at <= 0], ['next', view.at + 1 >= view.items.length],
    ['last', view.at + 1 >= view.items.length]]) $(id).disabled = off;
  if (item === undefined) return;
  const e = itemOf(item), count = countAt(item), atEnd = !isEvent(item);
  drawDetails(item, e);
  drawGraph(count, atEnd);
  drawMemory(item, e, count);
  drawMonitors(item, count);
  drawSource(e, count, atEnd); /* the last, as it takes the room that is left and scrolls in it */
}

function go(k) {
  if (!view.items.length) return;
  view.at = Math.max(0, Math.min(view.items.length - 1, k));
  const rows = $('rows');
  rows.querySelector('.current')?.classList.remove('current');
  rows.querySelector(`[data-k="${view.at}"]`)?.classList.add('current');
  scrollToCurrent();
  drawPanels();
  const item = view.items[view.at];
  try {
    history.replaceState(null, '', isEvent(item) ? `#step-${EVENTS[item][F.step]}` : '#end');
  } catch { /* some browsers allow it only so often */ }
}

// Draws everything anew, at the item nearest to that one.
function rebuild(item) {
  chooseItems();
  const exact = view.items.indexOf(item), next = exact >= 0 ? exact : view.items.findIndex(i => i >= item);
  view.at = next < 0 ? Math.max(0, view.items.length - 1) : next;
  $('story').setAttribute('aria-pressed', !view.all);
  $('all').setAttribute('aria-pressed', view.all);
  $('story').disabled = !told.size;
  drawRows();
  drawChips();
  if (view.items.length) go(view.at); else drawPanels();
}

const currentItem = () => view.items[view.at] ?? 0;

function showAll(item) {
  view.all = true;
  rebuild(item);
}

function showStory() {
  if (!told.size) return;
  view.all = false;
  rebuild(currentItem());
}

function goToEvent(i) {
  const k = view.items.indexOf(i);
  if (k >= 0) return go(k);
  if (!matches(i)) {
    view.hidden.clear();
    setFilter('');
  }
  showAll(i);
}

function seek(direction, wanted) {
  for (let k = view.at + direction; k >= 0 && k < view.items.length; k += direction)
    if (wanted(k)) return go(k);
}

const isSwitch = k => k > 0 && threadOf(view.items[k]) !== threadOf(view.items[k - 1]);
const isSameObject = k => itemOf(view.items[k]).object === itemOf(view.items[view.at]).object;

// ---- filters ----

function setFilter(text) {
  $('filter').value = text;
  view.filter = text.trim().toLowerCase();
}

function toggleThread(t) {
  const item = currentItem();
  if (!view.hidden.delete(t)) view.hidden.add(t);
  rebuild(item);
}

const CHIPS_MOST = 12;

function drawChips() {
  const used = trace.threads.map((_, t) => t).filter(t => (eventsOf[t] || []).length);
  const shown = used.filter((t, i) => i < CHIPS_MOST || view.hidden.has(t));
  $('chips').replaceChildren(...shown.map(t =>
    h('button', {class: `chip lane-${t % 8}`, 'aria-pressed': !view.hidden.has(t), title: `show or hide ${threadName(t)}`,
      onclick: () => toggleThread(t)}, threadName(t))),
    ...(used.length > shown.length ? [h('span', {class: 'dim', title: 'a click on the name above a lane hides it'}, `+${used.length - shown.length}`)] : []));
}

// ---- head ----

function copyButton(text) {
  return h('button', {class: 'link', title: 'copy', onclick: async e => {
    try {
      await navigator.clipboard.writeText(text);
      e.target.textContent = 'copied';
    } catch {
      e.target.textContent = 'select it and copy by hand';
    }
  }}, 'copy');
}

const shellWord = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";

function drawHead() {
  const program = [trace.program, ...trace.args].map(shellWord).join(' ');
  const facts = [bug && bug.where, bug && bug.executions && `found after ${plural(bug.executions, 'execution')}`, program];
  $('kind').textContent = bug ? bug.warning ? '⚠' : '✗' : '·';
  $('kind').title = bug ? bug.kind : 'an execution';
  $('kind').classList.add(bug ? bug.warning ? 'warning' : 'bad' : 'plain');
  $('message').textContent = bug ? bug.message : `An execution of ${trace.program}`;
  $('origin').append(...facts.filter(Boolean).flatMap((fact, i) => [i ? ' · ' : '', h('span', {}, fact)]));
  if (trace.schedule) {
    const client = trace.client ? `--client ${shellWord(trace.client)} ` : '';
    const command = 'heddle replay ' + client + shellWord(trace.schedule);
    $('origin').append(' · ', h('code', {}, command), ' ', copyButton(command));
  }
  const missing = trace.left_out + trace.unrecorded;
  if (missing) $('origin').append(' · ', h('span', {}, `${plural(missing, 'step')} are not on this page`));
  drawBlame();
  $('sentences').replaceChildren(...(bug ? bug.sentences : []).filter(s => !isFix(s)).map(s => h('li', {class: s.call ? 'call' : ''}, s.text)),
    ...reducedSentence(), ...remarkSentences().map(s => h('li', {class: 'crux'}, s)), ...(switchesSentence() ? [h('li', {class: 'switches'}, switchesSentence())] : []));
}

// The smallest part of a stress test that fails has a page of its own, next to this one.
function reducedSentence() {
  const reduced = bug && bug.minimised, page = reduced && reduced.bug && reduced.bug.page;
  if (!reduced) return [];
  const size = `${plural(reduced.after.threads, 'thread')} and ${plural(reduced.after.calls, 'call')}`;
  const name = page && page.slice(page.lastIndexOf('/') + 1);
  return [h('li', {class: 'reduced'}, `of ${plural(reduced.before.threads, 'thread')} and ${plural(reduced.before.calls, 'call')}, `,
    page ? h('a', {href: encodeURIComponent(name)}, size) : size, ' are enough to fail')];
}

const ROLES = {verdict: 'to blame', pattern: 'because', passes: 'it passes', fix: 'fix', tries: 'tries'};
const isFix = sentence => sentence.text.startsWith('fix: ');

// Text with names between backticks, and steps to go to.
function prose(text) {
  return text.split(/(`[^`]*`|\bstep \d+)/).map(part => {
    const step = /^step (\d+)$/.exec(part);
    if (step) return stepLink(Number(step[1]));
    return part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : part;
  });
}

// What was found out by running the schedule again, in part: better than what the trace alone shows.
function drawBlame() {
  const list = bug?.blame?.sentences ??
    (bug?.sentences ?? []).filter(isFix).map(({text}) => ({role: 'fix', text: text.slice('fix: '.length)}));
  const tries = (bug?.tries ?? []).map(text => ({role: 'tries', text})); // why the execution was chosen
  $('blame').hidden = !list.length && !tries.length;
  let numbers = [...blamed];
  $('blame').replaceChildren(...[...list, ...tries].flatMap(({role, text}) => {
    const links = role === 'pattern' ? numbers.map(([i, number]) =>
      h('button', {class: 'badge', title: `step ${EVENTS[i][F.step]}: go there`, onclick: () => goToEvent(i)}, number)) : [];
    if (role === 'pattern') numbers = []; // they are of the first one
    return [h('dt', {class: role}, ROLES[role] || role), h('dd', {class: role}, ...prose(text), ' ', ...links)];
  }));
}

function goToBlame() {
  const step = bug?.blame?.switch?.then?.step, first = blamed.keys().next().value;
  const item = step ? view.items.find(i => isEvent(i) && EVENTS[i][F.step] >= step) : first;
  if (item !== undefined) goToEvent(item);
}

// "T1 writes balance (bank.c:25): T2's update is lost", for the last few.
function remarkSentences() {
  if (bug?.blame?.patterns?.length) return [];
  return [...told].filter(([, note]) => note.remark).slice(-2).map(([i, note]) => {
    const e = event(i);
    return `${threadName(e.thread)} ${e.phrase} ${objectName(e.object)}${e.place ? ` (${e.place.name})` : ''}: ${note.remark}`;
  });
}

function switchesSentence() {
  const switches = [...told.values()].filter(t => t.switched & 1), preemptions = switches.filter(t => t.switched & 2).length;
  if (!switches.length) return '';
  if (switches.length === 1) return `1 switch of threads matters, ${preemptions ? 'a' : 'no'} preemption`;
  return `${switches.length} switches of threads matter, ` + (preemptions === 0 ? 'none of them a preemption' :
    preemptions === 1 ? '1 of them a preemption' : `${preemptions === switches.length ? 'all' : preemptions} of them preemptions`);
}

// ---- theme, keys, printing ----

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  try { localStorage.setItem('heddle-theme', name); } catch { /* no storage: it is forgotten */ }
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme === 'dark' ||
    (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  setTheme(dark ? 'light' : 'dark');
}

const KEYS = {
  ArrowDown: () => go(view.at + 1), j: () => go(view.at + 1), n: () => go(view.at + 1), ArrowRight: () => go(view.at + 1),
  ArrowUp: () => go(view.at - 1), k: () => go(view.at - 1), p: () => go(view.at - 1), ArrowLeft: () => go(view.at - 1),
  PageDown: () => go(view.at + 20), PageUp: () => go(view.at - 20),
  Home: () => go(0), End: () => go(view.items.length - 1),
  b: goToBlame,
  s: () => seek(1, isSwitch), S: () => seek(-1, isSwitch),
  '.': () => seek(1, isSameObject), ',': () => seek(-1, isSameObject),
  a: () => view.all ? showStory() : showAll(currentItem()),
  f: () => $('filter').focus(), '/': () => $('filter').focus(),
  t: toggleTheme, '?': () => $('keys').showModal(),
};

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
  if (e.target === $('filter')) {
    if (e.key === 'Escape') {
      setFilter('');
      $('filter').blur();
      rebuild(currentItem());
    }
    return;
  }
  const thread = e.key >= '1' && e.key <= '9' ? $('chips').children[e.key - 1] : null;
  const act = thread ? () => thread.click() : KEYS[e.key];
  if (!act) return;
  e.preventDefault();
  act();
}

const PRINTED_MOST = 2000;
let printing = false;

function setPrinting(now) {
  printing = now;
  drawRows();
}

function listen() {
  const click = {story: showStory, all: () => showAll(currentItem()), first: () => go(0), previous: () => go(view.at - 1),
    next: () => go(view.at + 1), last: () => go(view.items.length - 1), theme: toggleTheme, help: () => $('keys').showModal()};
  for (const [id, act] of Object.entries(click)) $(id).addEventListener('click', act);
  $('filter').addEventListener('input', () => {
    const item = currentItem();
    setFilter($('filter').value);
    rebuild(item);
  });
  let asked = 0;
  $('lanes').addEventListener('scroll', () => {
    if (!view.all) return;
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(drawRows);
  });
  addEventListener('resize', () => view.all && drawRows());
  addEventListener('keydown', onKey);
  addEventListener('beforeprint', () => setPrinting(true));
  addEventListener('afterprint', () => setPrinting(false));
}

// ---- begin ----

function start() {
  try {
    const theme = localStorage.getItem('heddle-theme');
    if (theme) document.documentElement.dataset.theme = theme;
  } catch { /* no storage */ }
  drawHead();
  listen();
  const asked = /^#step-(\d+)$/.exec(location.hash);
  const item = asked ? eventOfStep(Number(asked[1])) : bug ? endItems()[0] ?? END : 0; // what went wrong is seen at once
  if (asked && !told.has(item)) view.all = true;
  rebuild(item);
  if (!asked) scrollTo(0, 0); // where the page itself scrolls, the headline is first
}

start();
