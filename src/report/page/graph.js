// SPDX-License-Identifier: Apache-2.0
//
// The graph of what is held and waited for, as SVG. A thread waits for one thing at most, so what leads on from a node is a
// path that ends, or a circle: the circle is drawn as a ring, everything else in layers that lead to it.
const SVG = 'http://www.w3.org/2000/svg';
const NODE_HEIGHT = 28, LAYER = 150, ROW = 46, MARGIN = 10;

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Nodes by key: threads `t1` and objects `o7`; `to` are the keys it leads to.
function waitGraph(count, atEnd) {
  const nodes = new Map();
  const node = (key, label, thread) => {
    if (!nodes.has(key)) nodes.set(key, {key, label, thread, to: [], incoming: 0});
    return nodes.get(key);
  };
  const threadNode = t => node('t' + t, threadName(t), t);
  const link = (from, to, kind) => {
    if (from.to.some(edge => edge.key === to.key)) return;
    from.to.push({key: to.key, kind});
    to.incoming++;
  };
  for (const [object, holders] of holdersAfter(count))
    for (const h of holders) link(node('o' + object, objectName(object)), threadNode(h.thread), 'held');
  trace.threads.forEach((_, t) => {
    const wait = waitOf(t, count, atEnd);
    if (!wait || !wait.object) return;
    const other = wait.op === 'join' ? trace.threads.indexOf(objectName(wait.object)) : -1;
    const object = node(other >= 0 ? 'end' + other : 'o' + wait.object,
      other >= 0 ? 'end of ' + threadName(other) : objectName(wait.object));
    link(threadNode(t), object, 'waits');
    if (other >= 0) link(object, threadNode(other), 'held');
  });
  return nodes;
}

// The keys of a circle, in order; empty for none. Paths are followed to their end, each node once.
function findCycle(nodes) {
  const done = new Set(), path = [];
  const follow = key => {
    const at = path.indexOf(key);
    if (at >= 0) return path.slice(at);
    if (done.has(key)) return null;
    done.add(key);
    path.push(key);
    for (const edge of nodes.get(key).to) {
      const found = follow(edge.key);
      if (found) return found;
    }
    path.pop();
    return null;
  };
  for (const key of nodes.keys()) {
    const found = follow(key);
    if (found) return found;
  }
  return [];
}

function nodeWidth(node) {
  return Math.min(150, Math.max(48, node.label.length * 7.4 + 22));
}

function short(whole) {
  const label = whole.replace(/ \(.*\)$/, ''); // of a descriptor, without what it is
  return label.length > 18 ? label.slice(0, 8) + '…' + label.slice(-9) : label;
}

// How many steps a node is away from the ring, or from the end of its path.
function depthOf(node, nodes, ring) {
  let depth = 0;
  const seen = new Set();
  for (let at = node; !ring.has(at.key) && at.to.length && !seen.has(at.key); at = nodes.get(at.to[0].key)) {
    seen.add(at.key);
    depth++;
  }
  return depth;
}

// Gives all nodes their place; returns the size of the drawing.
function place(nodes, cycle) {
  const ring = new Set(cycle), rest = [...nodes.values()].filter(node => !ring.has(node.key));
  const depths = rest.map(node => depthOf(node, nodes, ring));
  const deepest = Math.max(-1, ...depths), first = cycle.length ? 1 : 0; // layer 0 of what ends in a ring is the ring
  const layers = Array.from({length: deepest + 1}, (_, depth) => rest.filter((_, i) => depths[i] === depth));
  const radiusX = cycle.length ? Math.max(112, cycle.length * 26) : 0, radiusY = cycle.length ? Math.max(58, cycle.length * 17) : 0;
  const height = Math.max(2 * radiusY + NODE_HEIGHT, ...layers.map(layer => layer.length * ROW)) + 2 * MARGIN;
  const from = layers[0]?.length ? 0 : first;
  layers.forEach((layer, depth) => layer.forEach((node, i) => {
    node.x = MARGIN + LAYER / 2 + (deepest - depth) * LAYER;
    node.y = height / 2 + (i - (layer.length - 1) / 2) * ROW;
  }));
  const left = MARGIN + Math.max(0, deepest + 1 - from) * LAYER;
  cycle.forEach((key, i) => {
    const angle = Math.PI + 2 * Math.PI * i / cycle.length, node = nodes.get(key);
    node.x = left + LAYER / 2 + radiusX + radiusX * Math.cos(angle);
    node.y = height / 2 + radiusY * Math.sin(angle);
  });
  return {width: left + (cycle.length ? LAYER + 2 * radiusX : 0) + MARGIN, height};
}

// The point where a line from the middle of a node to another one leaves its box.
function border(node, other) {
  const dx = other.x - node.x, dy = other.y - node.y;
  const scale = Math.min((nodeWidth(node) / 2 + 3) / (Math.abs(dx) || 1e-9), (NODE_HEIGHT / 2 + 3) / (Math.abs(dy) || 1e-9));
  return [node.x + dx * scale, node.y + dy * scale];
}

function drawEdge(from, to, kind, inCycle) {
  const [x1, y1] = border(from, to), [x2, y2] = border(to, from);
  const classes = 'edge ' + kind + (inCycle ? ' cycle' : '');
  const group = svg('g', {class: classes},
    svg('path', {d: `M${x1},${y1} L${x2},${y2}`, 'marker-end': inCycle ? 'url(#arrow-cycle)' : 'url(#arrow)'}));
  group.append(svg('title', {}, kind === 'held' ? `${from.label} is held by ${to.label}` : `${from.label} waits for ${to.label}`));
  return group;
}

function drawNode(node, inCycle) {
  const width = nodeWidth(node), isThread = node.thread !== undefined;
  const group = svg('g', {class: 'node ' + (isThread ? `thread lane-${node.thread % 8}` : 'object') + (inCycle ? ' cycle' : '')},
    svg('title', {}, node.label),
    svg('rect', {x: node.x - width / 2, y: node.y - NODE_HEIGHT / 2, width, height: NODE_HEIGHT, rx: isThread ? 14 : 4}),
    svg('text', {x: node.x, y: node.y + 4, 'text-anchor': 'middle'}));
  group.lastChild.textContent = short(node.label);
  return group;
}

function arrowHead(id) {
  return svg('marker', {id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto'},
    svg('path', {d: 'M0,0 L8,4 L0,8 z'}));
}

// The drawing after the first `count` events; null when nothing is held or waited for.
function drawWaits(count, atEnd) {
  const nodes = waitGraph(count, atEnd);
  if (!nodes.size) return null;
  const cycle = findCycle(nodes), ring = new Set(cycle);
  const {width, height} = place(nodes, cycle);
  const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-label': cycle.length ? 'a circle of threads that wait for each other' : 'what is held and waited for'});
  drawing.dataset.cycle = cycle.length;
  drawing.append(svg('defs', {}, arrowHead('arrow'), arrowHead('arrow-cycle')));
  for (const node of nodes.values())
    for (const edge of node.to) {
      const next = cycle[(cycle.indexOf(node.key) + 1) % cycle.length];
      drawing.append(drawEdge(node, nodes.get(edge.key), edge.kind, ring.has(node.key) && edge.key === next));
    }
  for (const node of nodes.values()) drawing.append(drawNode(node, ring.has(node.key)));
  return drawing;
}
