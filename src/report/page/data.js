// SPDX-License-Identifier: Apache-2.0
//
// The execution as data: reading what page_data.c wrote, and the state of locks and memory at any step. Knows nothing of
// the page. An event stays a row of numbers; `event(i)` gives it names.
const FIELDS = ['step', 'thread', 'op', 'phrase', 'place', 'object', 'value', 'flags', 'before', 'stack', 'holder',
  'waited', 'woken', 'race', 'second', 'sent', 'signal', 'held'];
const F = Object.fromEntries(FIELDS.map((name, i) => [name, i]));
const PREEMPTED = 2, RACE = 4, BLOCKED = 8, DEADLOCK = 16;

const trace = JSON.parse(document.getElementById('data').textContent);
const EVENTS = trace.events, LEFT = trace.left;
const bug = trace.bug;

function placeOf(number) {
  const [name, file, line, fn] = trace.places[number] || [];
  return number ? {name: trace.texts[name], file: file || 0, line: line || 0, fn: trace.texts[fn || 0]} : null;
}

function objectName(number) {
  return number ? trace.texts[trace.objects[number][0]] : '';
}

function objectKind(number) {
  return number ? trace.kinds[trace.objects[number][1]] : '';
}

function threadName(thread) {
  return trace.threads[thread] || 'thread ' + thread;
}

// Threads of one process stand together.
const processOf = thread => trace.process_of_thread[thread] || 0;
const hasProcesses = trace.processes.length > 1;

function processTitle(process) {
  const {name, forked_by, forked_at, program} = trace.processes[process];
  const short = program.slice(program.lastIndexOf('/') + 1);
  return forked_by ? `${name}, a child of ${forked_by}${forked_at ? `, forked at ${forked_at}` : ''}, runs ${short}` : `${name} runs ${short}`;
}

function named(row) {
  const flags = row[F.flags] || 0;
  return {
    step: row[F.step], thread: row[F.thread], op: trace.operations[row[F.op]], phrase: trace.texts[row[F.phrase]],
    place: placeOf(row[F.place] || 0), object: row[F.object] || 0, value: trace.texts[row[F.value] || 0],
    before: trace.texts[row[F.before] || 0], stack: trace.stacks[row[F.stack] || 0].map(placeOf),
    holder: (row[F.holder] || 0) - 1, waited: row[F.waited] || 0, woken: row[F.woken] || 0, race: row[F.race] || 0,
    second: row[F.second] || 0, switched: flags & 3, isRace: !!(flags & RACE), blocked: !!(flags & BLOCKED),
    deadlock: !!(flags & DEADLOCK), sent: row[F.sent] || 0, signal: trace.texts[row[F.signal] || 0],
    held: row[F.held] || 0,
  };
}

const event = i => named(EVENTS[i]);
const leftEvent = i => named(LEFT[i]);

// ---- searching ----

// The event of that step, or the last one before it; -1 for none.
function eventOfStep(step) {
  let low = 0, high = EVENTS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (EVENTS[middle][F.step] <= step) low = middle + 1; else high = middle;
  }
  return low - 1;
}

// The indices of each thread's events.
const eventsOf = trace.threads.map(() => []);
EVENTS.forEach((row, i) => (eventsOf[row[F.thread]] ||= []).push(i));

function firstAfter(indices, i) {
  let low = 0, high = indices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (indices[middle] <= i) low = middle + 1; else high = middle;
  }
  return indices[low];
}

// ---- state ----

const opSet = names => new Set(names.split(' ').map(name => trace.operations.indexOf(name)));
const TAKES = opSet('mutex-lock mutex-trylock mutex-timedlock spin-lock spin-trylock rwlock-wrlock rwlock-trywrlock ' +
  'rwlock-timedwrlock rwlock-rdlock rwlock-tryrdlock rwlock-timedrdlock');
const SHARES = opSet('rwlock-rdlock rwlock-tryrdlock rwlock-timedrdlock');
const GIVES = opSet('mutex-unlock spin-unlock rwlock-unlock');
const WAITS = opSet('cond-wait'), WAKES = opSet('cond-wake cond-timedwake');
const READS = opSet('read atomic-load'), WRITES = opSet('write atomic-store atomic-rmw free'), FREES = opSet('free');
const OWNER_DIED = trace.texts.indexOf('EOWNERDEAD');

// Who holds what after the first `count` events: object -> [{thread, event, shared}], the same one twice if locked twice.
function holdersAfter(count) {
  const held = new Map();
  const take = (object, thread, i, shared) => held.set(object, [...(held.get(object) || []), {thread, event: i, shared}]);
  const give = (object, thread) => {
    const holders = held.get(object) || [];
    const at = holders.findLastIndex(h => h.thread === thread);
    held.set(object, holders.filter((_, k) => k !== at));
  };
  for (let i = 0; i < count; i++) {
    const row = EVENTS[i], op = row[F.op], object = row[F.object];
    const failed = row[F.value] && row[F.value] !== OWNER_DIED;
    if (TAKES.has(op) && !failed) take(object, row[F.thread], i, SHARES.has(op));
    else if (GIVES.has(op) && !failed) give(object, row[F.thread]);
    else if (WAITS.has(op) && row[F.second]) give(row[F.second], row[F.thread]);
    else if (WAKES.has(op) && row[F.second]) take(row[F.second], row[F.thread], i, false);
  }
  return held;
}

// Monitors of properties: [{name, property, readings: [{event, name, state, thread, violated}]}], in the order of their first
// events. Those whose steps are not on the page are told by the last one before.
const MONITORS = trace.monitors.map(([name, property]) => ({name: trace.texts[name], property: trace.texts[property], readings: []}));
for (const [step, monitor, name, state, violated] of trace.readings) {
  const i = eventOfStep(step);
  MONITORS[monitor || 0].readings.push({event: i, name: trace.texts[name || 0], state: trace.texts[state || 0],
    thread: i < 0 ? 0 : EVENTS[i][F.thread], violated: !!violated});
}

// The last that the monitor read in the first `count` events; undefined: nothing yet.
function readingAfter(monitor, count) {
  return MONITORS[monitor].readings.findLast(({event: i}) => i < count);
}

// Whether a property or a schedule holds the thread back after the first `count` events.
function isHeld(thread, count, atEnd) {
  const wait = waitOf(thread, count, atEnd), now = count ? EVENTS[count - 1][F.step] : 0;
  return !!wait && wait.held > 0 && (atEnd || (wait.held <= now && (!wait.woken || now < wait.woken)));
}

// At the end: [{thread, what}].
function heldAtEnd() {
  return LEFT.filter(row => row[F.held] && (row[F.flags] || 0) & BLOCKED)
    .map(row => ({thread: row[F.thread], what: objectName(row[F.object] || 0)}));
}

// What a thread stands before and cannot do after the first `count` events; null when it can go on.
function waitOf(thread, count, atEnd) {
  const now = count ? EVENTS[count - 1][F.step] : 0;
  const next = firstAfter(eventsOf[thread] || [], count - 1);
  if (next !== undefined) {
    const row = EVENTS[next];
    return row[F.waited] && row[F.waited] <= now ? named(row) : null;
  }
  const left = LEFT.find(row => row[F.thread] === thread);
  if (!left || !((left[F.flags] || 0) & BLOCKED)) return null;
  return atEnd || (left[F.waited] && left[F.waited] <= now) ? named(left) : null;
}

// A wrong access that was stopped before it happened.
function isStopped(row) {
  return bug && row[F.step] === bug.step && (bug.kind === 'memory' || bug.kind === 'crash');
}

// Memory after the first `count` events: object -> {value, was, freed, writer, event, touched}; writer -1: only read so far.
function memoryAfter(count) {
  const cells = new Map();
  for (let i = 0; i < count; i++) {
    const row = EVENTS[i], object = row[F.object];
    if (isStopped(row)) continue;
    if (WRITES.has(row[F.op])) {
      const old = cells.get(object);
      cells.set(object, {value: row[F.value], was: row[F.before] || (old && old.value), freed: FREES.has(row[F.op]),
        writer: row[F.thread], event: i, touched: i});
    } else if (READS.has(row[F.op])) {
      const cell = cells.get(object);
      if (cell) cell.touched = i;
      else cells.set(object, {value: row[F.value], was: 0, freed: false, writer: -1, event: i, touched: i});
    }
  }
  return cells;
}
