// SPDX-License-Identifier: GPL-2.0-only
//
// The page of pcsample export --format html. All that it shows is counted here from the cells:
// samples by time slot, block, CPU and stack, and their weight. A sample that stands for several
// periods, as the reads before it were missed, weighs as much. Shares are shares of the weight.

'use strict';

(() => {

// Each event has data of its own. The page's address says which event is shown, or it is the first
const events = document.querySelectorAll('script.event');
const shownEvent = Number((location.hash.match(/^#event=(\d+)$/) || [0, 0])[1]) % events.length;
const data = JSON.parse(events[shownEvent].textContent);
const $ = (id) => document.getElementById(id);

// The data, unpacked

const PROCESS = 0, OBJECT = 1, FUNCTION = 2, INLINED = 3;
const LEVEL_NAMES = ['Process', 'Object', 'Function', 'Inlined'];
// perf's PERF_RECORD_MISC_*
const MODES = [
	{ name: 'unknown', color: '--unknown', hue: 215, strength: 8 },
	{ name: 'kernel', color: '--kernel', hue: 30, strength: 78 },
	{ name: 'user', color: '--user', hue: 211, strength: 66 },
	{ name: 'hypervisor', color: '--hypervisor', hue: 274, strength: 55 },
	{ name: 'guest kernel', color: '--guest', hue: 152, strength: 50 },
	{ name: 'guest user', color: '--guest', hue: 135, strength: 42 },
];

const NODE_FIELDS = 5;
const nrNodes = data.nodes.length / NODE_FIELDS;
const field = (node, i) => data.nodes[node * NODE_FIELDS + i];
const parentOf = (node) => field(node, 0) - 1;
const textOf = (node) => data.texts[field(node, 1)];
const levelOf = (node) => field(node, 2);
const objectOf = (node) => data.objects[field(node, 3)];
const modeOf = (node) => MODES[field(node, 4)] || MODES[0];

// at[node][level]: the innermost ancestor of that level, or -1; not a function that was inlined
// into a caller. With call chains no node is an object: then it is the object of the function.
const at = [];
for (let node = 0; node < nrNodes; node++) {
	const levels = parentOf(node) < 0 ? [-1, -1, -1, -1] : at[parentOf(node)].slice();

	levels[levelOf(node)] = node;
	if (levelOf(node) === FUNCTION) {
		levels[INLINED] = -1;
		if (data.chains)
			levels[OBJECT] = node;
	}
	at.push(levels);
}
function nameAt(node, level)
{
	const n = at[node][level];

	if (n < 0)
		return '';
	return level === OBJECT && data.chains ? objectOf(n).name : textOf(n);
}
const children = Array.from({ length: nrNodes + 1 }, () => []);
for (let node = 0; node < nrNodes; node++)
	children[parentOf(node) + 1].push(node);

// Samples by @heads ('block', or 'slot' and 'cpu') and stack, as columns; sorted, as in the data
function unpack(of, ...heads)
{
	let nr = 0, k = 0;

	for (let i = heads.length; i < of.length; i += heads.length + 1 + 3 * of[i])
		nr += of[i];
	const c = { nr, node: new Uint32Array(nr), samples: new Float64Array(nr),
		    weight: new Float64Array(nr) };
	heads.forEach((head) => { c[head] = new Uint16Array(nr); });
	for (let i = 0; i < of.length;) {
		const first = k, values = heads.map(() => of[i++]);

		for (let end = 3 * of[i++] + i; i < end; i += 3, k++) {
			c.node[k] = of[i];
			c.samples[k] = of[i + 1];
			c.weight[k] = of[i + 2];
		}
		heads.forEach((head, at) => c[head].fill(values[at], first, k));
	}
	return c;
}
const cells = unpack(data.cells, 'slot', 'cpu'), whole = unpack(data.blocks, 'block');
const NO_CPU = 0xffff;
const cpus = [...new Set(cells.cpu)].sort((a, b) => a - b);

// What is in view, and how

const view = {
	from: 0, to: data.slots - 1,	// slots
	cpus: new Set(cpus),
	zoom: -1,			// node that fills the stacks, -1 for all
	flame: false,
	by: [PROCESS, OBJECT, FUNCTION],
	filters: [],			// { level, text }
	search: '',
	sort: 'share', descending: true,
	limit: 100,
};

// Text

const count = (n) => n.toLocaleString('en-US');
const percent = (share) => (100 * share).toFixed(share && share < 0.001 ? 3 : 2);
const range = (i) => `${percent(i.low)} – ${percent(i.high)} %`;

function duration(ns)
{
	const [div, unit] = ns >= 60e9 ? [1e9, 's'] : ns >= 1e9 ? [1e9, 's'] :
			    ns >= 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
	const value = ns / div;

	return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
}

function element(tag, attributes, ...content)
{
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (key === 'on')
			e.addEventListener('click', value);
		else if (key === 'style')
			e.style.cssText = value;
		else if (value !== undefined && value !== false)
			e.setAttribute(key, value === true ? '' : value);
	}
	e.append(...content);
	return e;
}

// How sure a share is: the same as stats_share() of pcsample's profile/stats.c. Of all samples, with the
// blocks of pcsample report, so that both say the same. A part of the time is in too few of these: it
// is cut into blocks of slots, few and long ones, as blocks must not depend on each other. So are all
// samples of some CPUs.

const BLOCKS = 64;

function quantile(freedom)
{
	const z = 1.959964, z2 = z * z;

	return z + z * (z2 + 1) / 4 / freedom +
	       z * (5 * z2 * z2 + 16 * z2 + 3) / 96 / (freedom * freedom);
}

function wilson(share, n, z)
{
	const z2 = z * z, centre = (share + z2 / (2 * n)) / (1 + z2 / n);
	const half = z / (1 + z2 / n) * Math.sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	return { low: Math.max(0, centre - half), high: Math.min(1, centre + half), effective: n };
}

// How many samples tell as much as an independent one: from the spread of the blocks
function dependence(blocks, p, squares)
{
	const b = blocks.nr, alone = blocks.samples * p * (1 - p);

	if (b < 8 || !(alone > 0))
		return 1;
	return Math.max(1, (squares - p * p * blocks.squares) * b / (b - 1) / alone);
}

function interval(blocks, { samples, squares, weight })
{
	const n = blocks.samples, p = samples / n, w = weight / blocks.weight, q = p * (1 - p);

	if (!n)
		return { low: 0, high: 1, effective: 0 };
	const ratio = q > 0 && w > 0 && w < 1 ? w * (1 - w) / q : 1;
	const variation = data.weight_variation - (q > 0 ? (w - p) * (w - p) / q : 0);
	const effect = dependence(blocks, p, squares) * ratio + Math.max(0, variation);
	return wilson(w, Math.max(n / effect, 1), blocks.nr < 8 ? 1.959964 : quantile(blocks.nr - 1));
}

// Counting

// Sums of samples, of the squares of the samples in each block, and of weights
class Tally {
	constructor(nr)
	{
		this.samples = new Float64Array(nr);
		this.weight = new Float64Array(nr);
		this.squares = new Float64Array(nr);
		this.block = new Int32Array(nr).fill(-1);
		this.inBlock = new Float64Array(nr);
	}
	add(i, block, n, weight)
	{
		if (this.block[i] !== block) {
			this.squares[i] += this.inBlock[i] * this.inBlock[i];
			this.inBlock[i] = 0;
			this.block[i] = block;
		}
		this.inBlock[i] += n;
		this.samples[i] += n;
		this.weight[i] += weight;
	}
	of(i)
	{
		return { samples: this.samples[i], squares: this.squares[i], weight: this.weight[i] };
	}
	finish()
	{
		for (let i = 0; i < this.inBlock.length; i++) {
			this.squares[i] += this.inBlock[i] * this.inBlock[i];
			this.inBlock[i] = 0;
		}
	}
}

const passes = (node) => view.filters.every(({ level, text }) =>
	at[node][level] >= 0 && nameAt(node, level) === text);

const allTime = () => view.from === 0 && view.to === data.slots - 1;

// Call add(node, block, samples, weight) for the cells of the time and the CPUs in view
function eachCell(add)
{
	const long = Math.ceil((view.to - view.from + 1) / BLOCKS);

	if (allTime() && view.cpus.size === cpus.length) {
		for (let k = 0; k < whole.nr; k++)
			add(whole.node[k], whole.block[k], whole.samples[k], whole.weight[k]);
		return;
	}
	for (let k = 0; k < cells.nr; k++) {
		const slot = cells.slot[k];

		if (slot >= view.from && slot <= view.to && view.cpus.has(cells.cpu[k]))
			add(cells.node[k], Math.floor((slot - view.from) / long), cells.samples[k],
			    cells.weight[k]);
	}
}

// The samples in view, by node: a node also has those of the nodes below it. Shares are of all samples
// of the time and the CPUs in view, whatever the filters are.
let tally, blocks;

function recount()
{
	const wanted = Uint8Array.from({ length: nrNodes }, (_, node) => passes(node));
	const all = new Tally(1), seen = [];

	tally = new Tally(nrNodes);
	eachCell((node, block, samples, weight) => {
		seen[block] = true;
		all.add(0, block, samples, weight);
		for (let n = wanted[node] ? node : -1; n >= 0; n = parentOf(n))
			tally.add(n, block, samples, weight);
	});
	tally.finish();
	all.finish();
	blocks = { nr: seen.filter(Boolean).length, ...all.of(0) };
}

// Rows of the table: nodes that have the same texts in the chosen levels are one row
function makeRows()
{
	const index = new Map(), group = new Int32Array(nrNodes).fill(-1), rows = [];
	const deepest = Math.max(...view.by);

	// Only some stacks have inlined functions; they all have the other levels
	for (let node = 0; node < nrNodes; node++) {
		const names = view.by.map((level) => nameAt(node, level));
		const key = names.join('\n');

		if (!tally.samples[node] || levelOf(node) < Math.min(deepest, FUNCTION) || !passes(node))
			continue;
		if (!index.has(key)) {
			index.set(key, rows.length);
			rows.push({ names, node: at[node][deepest] < 0 ? node : at[node][deepest] });
		}
		group[node] = index.get(key);
	}
	const sums = new Tally(rows.length);
	eachCell((node, block, samples, weight) => {
		if (group[node] >= 0)
			sums.add(group[node], block, samples, weight);
	});
	sums.finish();
	rows.forEach((row, i) => {
		row.samples = sums.samples[i];
		row.share = sums.weight[i] / blocks.weight;
		row.interval = interval(blocks, sums.of(i));
	});
	return rows.filter((row) => row.samples);
}

// Searching: a regular expression if it is one, else the text itself; case counts if it is mixed

function matcher()
{
	const flags = /[A-Z]/.test(view.search) ? '' : 'i';

	if (!view.search)
		return null;
	try {
		return new RegExp(view.search, flags);
	} catch {
		return new RegExp(view.search.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
	}
}

function marked(text, match)
{
	const found = match && match.exec(text);

	if (!found || !found[0])
		return [text];
	return [text.slice(0, found.index), element('mark', {}, found[0]),
		text.slice(found.index + found[0].length)];
}

// The head of the page

function showFacts()
{
	const r = data.recording;
	const fact = (value, what, bad) => $('facts').append(
		element('div', { class: bad ? 'fact bad' : 'fact' },
			element('b', { class: value.length > 12 ? 'long' : undefined }, value),
			element('span', {}, what)));

	document.title = `${r.file} – pcsample`;
	$('file').textContent = r.file;
	$('machine').textContent = [r.hostname, r.kernel && `Linux ${r.kernel}`, r.arch, r.cpu,
		r.start_unix_ns && new Date(r.start_unix_ns / 1e6).toLocaleString()]
		.filter(Boolean).join(' · ');
	fact(count(r.samples), `samples of ${r.event}`);
	if (r.duration_ns)
		fact(duration(r.duration_ns), r.cpus ?
		     `on ${r.cpus} ${r.cpus === 1 ? 'CPU' : 'CPUs'}` : 'from first to last sample');
	if (r.rate_hz) {
		const where = r.ran_ns ? `in the ${duration(r.ran_ns)} that it ran` : 'on each CPU';

		fact(`${count(Math.round(r.rate_hz))} Hz`, r.asked_hz ?
		     `${where}, asked for ${count(Math.round(r.asked_hz))}` : where);
	}
	fact(count(r.lost), 'lost in full buffers', r.lost > 0);
	if (r.jitter)
		fact(r.jitter === 'on' ? 'dithered' : 'exact steps',
		     r.jitter === 'on' ? `clock, seed ${r.seed}` : 'of the clock');
	if (r.method)
		fact(r.method, 'found the processes');
	const leveled = data.levels.reduce((sum, l) => sum + l.weight, 0);
	for (const l of data.levels.slice().sort((a, b) => b.weight - a.weight).slice(0, 4))
		fact(`${percent(l.weight / leveled)} %`,
		     `${l.el === undefined ? 'EL not known,' : `EL${l.el}`} ${l.state}${l.vmid === undefined ? '' : `, VMID ${l.vmid}`}`);
	if (data.chains)
		$('nesting').textContent = 'A box was called by what is outside of it, or inlined there; ' +
			'the table counts a sample for the function that it was taken in.';
	if (r.header.length) {
		$('header').hidden = false;
		$('header').append(element('dl', {}, ...r.header.flatMap((h) =>
			[element('dt', {}, h.name), element('dd', {}, h.value)])));
	}
	if (r.notes.length) {
		$('notes').hidden = false;
		$('notes').append(...r.notes.map((note) => element('li', {}, note)));
	}
}

function showLedger()
{
	const ledger = data.recording.ledger;
	const colors = ['--guest', '--user', '--unknown', '--hypervisor', '--kernel'];

	if (!ledger)
		return;
	const parts = Object.entries(ledger).filter(([name, n]) => name !== 'planned' && n);
	$('ledger').hidden = false;
	$('ledger').append(
		element('span', {}, `${count(ledger.planned)} reads were planned:`),
		element('div', { class: 'parts' }, ...parts.map(([, n], i) => element('i',
			{ style: `flex:${n};background:var(${colors[i % colors.length]})` }))),
		element('div', { class: 'legend' }, ...parts.map(([name, n], i) =>
			element('span', { class: 'key',
					  style: `--c:var(${colors[i % colors.length]})` },
				`${name.replace('_', ' ')} ${count(n)}`))));
}

// CPUs over time: in each lane, the weight of a column by privilege, one above the other

const LANE_GAP = 4, AXIS = 20;
const laneHeight = Math.max(12, Math.min(46, Math.floor(320 / cpus.length)));
const laneOf = new Map(cpus.map((cpu, i) => [cpu, i]));
const slot_ns = data.slot_columns * data.column_ns, total_ns = data.columns * data.column_ns;

// heights[lane][column * MODES.length + mode]: weight in samples, of the whole recording
const heights = cpus.map(() => new Float64Array(data.columns * MODES.length));
for (let i = 0; i < data.strip.length;) {
	const lane = heights[laneOf.get(data.strip[i++])];

	for (let end = 3 * data.strip[i++] + i; i < end; i += 3)
		lane[data.strip[i] * MODES.length + (MODES[data.strip[i + 1]] ? data.strip[i + 1] : 0)] +=
			data.strip[i + 2];
}
// The weight by mode, of the columns from @from on and before @to
function sumColumns(lane, from, to)
{
	const sums = new Float64Array(MODES.length);

	for (let i = from * MODES.length; i < Math.min(to, data.columns) * MODES.length; i++)
		sums[i % MODES.length] += heights[lane][i];
	return sums;
}
// The weight of a column in which a CPU was sampled all the time
const fullColumn = (() => {
	const sums = Float64Array.from({ length: cpus.length * data.columns }, (_, i) =>
		sumColumns(Math.floor(i / data.columns), i % data.columns, i % data.columns + 1)
			.reduce((a, b) => a + b)).sort();

	return Math.max(1, sums[Math.floor(sums.length * 0.98)]);
})();

function showLegend()
{
	const used = new Set();

	for (let node = 0; node < nrNodes; node++)
		if (levelOf(node) >= OBJECT)
			used.add(field(node, 4));
	$('legend').append(...MODES.filter((_, i) => used.has(i)).map((mode) =>
		element('span', { class: 'key', style: `--c:var(${mode.color})` }, mode.name)));
}

// A round step with about @marks of it in @length
function roundStep(length, marks)
{
	const rough = length / marks, power = 10 ** Math.floor(Math.log10(rough));

	return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
}

function drawTimeline()
{
	const canvas = $('canvas'), scale = window.devicePixelRatio || 1;
	const width = $('plot').clientWidth, step = laneHeight + LANE_GAP;
	const height = cpus.length * step + AXIS;
	const style = getComputedStyle(document.documentElement);
	const color = (name) => style.getPropertyValue(name).trim();
	const colors = MODES.map((mode) => color(mode.color));
	// As many columns of the data as make a pixel
	const bar = Math.ceil(data.columns / (width * scale));
	const x = (column) => Math.min(column, data.columns) / data.columns * width;

	canvas.width = width * scale;
	canvas.height = height * scale;
	canvas.style.height = `${height}px`;
	const g = canvas.getContext('2d');
	g.scale(scale, scale);
	cpus.forEach((cpu, lane) => {
		const bottom = lane * step + laneHeight;

		g.fillStyle = color('--track');
		g.fillRect(0, lane * step, width, laneHeight);
		g.globalAlpha = view.cpus.has(cpu) ? 1 : 0.3;
		for (let column = 0; column < data.columns; column += bar) {
			let y = bottom;

			sumColumns(lane, column, column + bar).forEach((weight, mode) => {
				const h = Math.min(weight / fullColumn / bar * laneHeight,
						   y - lane * step);

				if (!h)
					return;
				g.fillStyle = colors[mode];
				g.fillRect(x(column), y - h, x(column + bar) - x(column) + 0.4, h);
				y -= h;
			});
		}
		g.globalAlpha = 1;
	});
	g.fillStyle = color('--dim');
	g.font = `11px ${style.fontFamily || 'sans-serif'}`;
	const tick = roundStep(total_ns, Math.max(2, width / 110));
	for (let t = 0; t < total_ns; t += tick) {
		g.fillRect(t / total_ns * width, height - AXIS, 1, 4);
		g.fillText(t ? duration(t) : '0', t / total_ns * width + 3, height - 5);
	}
	showBrush();
}

function showBrush()
{
	$('brush').hidden = allTime();
	const [left, right] = [view.from, view.to + 1].map((slot) =>
		Math.min(slot * slot_ns / total_ns, 1) * 100);

	$('brush').style.left = `${left}%`;
	$('brush').style.width = `${right - left}%`;
	$('clear-time').hidden = allTime() && view.cpus.size === cpus.length;
}

function showLanes()
{
	$('lanes').replaceChildren(...cpus.map((cpu) => element('button', {
		type: 'button',
		style: `height:${laneHeight}px;line-height:${laneHeight - 2}px`,
		'aria-pressed': String(view.cpus.has(cpu)),
		title: 'This CPU alone; with Ctrl, this CPU too',
		'data-cpu': cpu,
		on: (event) => chooseCpu(cpu, event.ctrlKey || event.metaKey),
	}, cpu === NO_CPU ? 'CPUs' : `CPU ${cpu}`)));
}

function chooseCpu(cpu, too)
{
	if (too && !(view.cpus.has(cpu) && view.cpus.size === 1))
		view.cpus.has(cpu) ? view.cpus.delete(cpu) : view.cpus.add(cpu);
	else if (view.cpus.size === 1 && view.cpus.has(cpu))
		view.cpus = new Set(cpus);
	else
		view.cpus = new Set([cpu]);
	showLanes();
	drawTimeline();
	update();
}

function setUpTimeline()
{
	const plot = $('plot');
	let start = null;
	const columnAt = (event) => {
		const box = plot.getBoundingClientRect();
		const part = (event.clientX - box.left) / box.width;

		return Math.max(0, Math.min(data.columns - 1, Math.floor(part * data.columns)));
	};
	const slotAt = (event) => Math.floor(columnAt(event) / data.slot_columns);

	plot.addEventListener('pointerdown', (event) => {
		start = slotAt(event);
		plot.setPointerCapture(event.pointerId);
	});
	plot.addEventListener('pointermove', (event) => {
		const slot = slotAt(event);

		if (start === null) {
			showColumn(event, columnAt(event));
			return;
		}
		view.from = Math.min(start, slot);
		view.to = Math.max(start, slot);
		showBrush();
	});
	plot.addEventListener('pointerup', (event) => {
		if (start !== null && start === slotAt(event)) {	// a click
			view.from = 0;
			view.to = data.slots - 1;
		}
		start = null;
		showBrush();
		update();
	});
	plot.addEventListener('pointerleave', hideTip);
	$('clear-time').addEventListener('click', () => {
		view.from = 0;
		view.to = data.slots - 1;
		view.cpus = new Set(cpus);
		showLanes();
		drawTimeline();
		update();
	});
	window.addEventListener('resize', () => {
		drawTimeline();
		showStacks();
	});
}

function showColumn(event, column)
{
	const lane = Math.floor((event.clientY - $('plot').getBoundingClientRect().top) /
				(laneHeight + LANE_GAP));

	if (!heights[lane]) {
		hideTip();
		return;
	}
	const modes = sumColumns(lane, column, column + 1);
	const [from, to] = [column, column + 1].map((at) => duration(at * data.column_ns));

	showTip(event, cpus[lane] === NO_CPU ? 'All CPUs' : `CPU ${cpus[lane]}`, `${from} – ${to}`,
		...MODES.map((mode, i) => modes[i] && `${mode.name}: ${count(Math.round(modes[i]))} periods`)
			.filter(Boolean));
}

// Stacks: boxes as wide as their weight, with callees below them (or above: flame)

const BOX = 27;

function boxColor(node)
{
	const mode = modeOf(node);
	let hash = 0;

	if (levelOf(node) === PROCESS)
		return 'hsl(215 18% 70%)';
	for (const c of textOf(node))
		hash = (hash * 31 + c.codePointAt(0)) & 0xffff;
	return `hsl(${mode.hue + hash % 25 - 12} ${mode.strength}% calc(var(--light) + ${hash % 11 - 5}%))`;
}

function showStacks()
{
	const host = $('stacks'), width = host.clientWidth, match = matcher(), boxes = [];
	const total = view.zoom < 0 ? children[0].reduce((sum, n) => sum + tally.weight[n], 0) :
				      tally.weight[view.zoom];
	let depth = 0;
	const place = (node, left, w, level, outside) => {
		const found = match && match.test(textOf(node));

		depth = Math.max(depth, level + 1);
		boxes.push({ level, box: element('button', {
			type: 'button',
			class: `box${w < 24 ? ' narrow' : ''}${found ? ' found' : ''}${outside ? ' outside' : ''}`,
			style: `left:${left}px;width:${Math.max(w - 1, 1)}px;background:${boxColor(node)}`,
			'data-node': node,
			on: () => zoomTo(node === view.zoom ? parentOf(node) : node),
		}, textOf(node)) });
	};
	// The boxes of a node's children, from its left on; too narrow ones are not drawn
	const inside = (node, left, w, level) => {
		const sum = node < 0 ? total : tally.weight[node], found = [];

		for (const child of children[node + 1].slice()
		     .sort((a, b) => tally.weight[b] - tally.weight[a])) {
			const part = tally.weight[child] / sum * w;

			if (part < 0.7)		// all that follow are narrower
				break;
			found.push([child, left, part, level]);
			left += part;
		}
		return found;
	};
	// Stacks may be thousands of calls deep: no recursion
	const fill = (todo) => {
		while (todo.length) {
			const [node, left, w, level] = todo.pop();

			place(node, left, w, level, false);
			todo.push(...inside(node, left, w, level + 1).reverse());
		}
	};

	if (total && view.zoom < 0) {
		fill(inside(-1, 0, width, 0).reverse());
	} else if (total) {
		const path = [];

		for (let n = parentOf(view.zoom); n >= 0; n = parentOf(n))
			path.unshift(n);
		path.forEach((n, level) => place(n, 0, width, level, true));
		fill([[view.zoom, 0, width, path.length]]);
	}
	for (const { level, box } of boxes)
		box.style.top = `${(view.flame ? depth - 1 - level : level) * BOX}px`;
	host.style.height = `${Math.max(depth, 1) * BOX}px`;
	host.classList.toggle('searching', Boolean(match));
	host.replaceChildren(...boxes.map(({ box }) => box));
	if (!total)
		host.append(element('div', { class: 'hint' }, 'No samples here.'));
	showPath();
}

function showPath()
{
	const path = [];

	for (let n = view.zoom; n >= 0; n = parentOf(n))
		path.unshift(n);
	$('path').replaceChildren(...(path.length ? [element('button',
		{ type: 'button', on: () => zoomTo(-1) }, 'everything')] : []),
	...path.map((n) => element('button', { type: 'button', on: () => zoomTo(n) }, textOf(n))));
}

function zoomTo(node)
{
	view.zoom = node;
	hideTip();
	showStacks();
}

function setUpStacks()
{
	$('stacks').addEventListener('pointermove', (event) => {
		const box = event.target.closest('.box');

		if (!box) {
			hideTip();
			return;
		}
		const node = Number(box.dataset.node), sums = tally.of(node);
		const object = levelOf(node) >= OBJECT && objectOf(node);
		const i = interval(blocks, sums);

		showTip(event, textOf(node),
			`${percent(sums.weight / blocks.weight)} %   (${range(i)})`,
			`${count(sums.samples)} samples, worth ${count(Math.round(i.effective))} independent ones`,
			...(object ? [`${modeOf(node).name} · ${object.path}`] : []),
			...(object && object.problem ? [object.problem] : []));
	});
	$('stacks').addEventListener('pointerleave', hideTip);
	$('flip').addEventListener('click', () => {
		view.flame = !view.flame;
		$('flip').setAttribute('aria-pressed', String(view.flame));
		showStacks();
	});
}

function showTip(event, title, ...lines)
{
	const tip = $('tip');

	tip.replaceChildren(element('b', {}, title), ...lines.map((line) => element('span', {}, line)));
	tip.hidden = false;
	tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
	tip.style.top = `${Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
}

function hideTip()
{
	$('tip').hidden = true;
}

// The table

let rows = [];

function columns()
{
	return [
		{ key: 'share', title: 'Share', number: false, value: (row) => row.share },
		{ key: 'percent', title: '%', number: true, value: (row) => row.share },
		{ key: 'low', title: '95 % interval', number: true, value: (row) => row.interval.low },
		{ key: 'samples', title: 'Samples', number: true, value: (row) => row.samples },
		...view.by.map((level, i) => ({ key: `name${level}`, title: LEVEL_NAMES[level],
						level, index: i, value: (row) => row.names[i] })),
	];
}

function showHead()
{
	$('head').replaceChildren(...columns().map((column) => element('th', {
		class: column.number ? 'number' : '',
		scope: 'col',
		'aria-sort': column.key === view.sort &&
			(view.descending ? 'descending' : 'ascending'),
	}, element('button', { type: 'button', 'data-sort': column.key, on: () => {
		view.descending = column.key === view.sort ? !view.descending :
				  column.level === undefined;
		view.sort = column.key;
		showHead();
		showRows();
	} }, column.title))));
}

function gauge(row, most)
{
	const part = (share) => `${Math.min(100, share / most * 100)}%`;

	return element('div', { class: 'gauge', style: `--c:var(${modeOf(row.node).color})` },
		element('i', { style: `width:${part(row.share)}` }),
		element('u', { style: `left:${part(row.interval.low)};` +
				      `width:calc(${part(row.interval.high)} - ${part(row.interval.low)})` }));
}

function nameCell(row, column, match)
{
	const text = row.names[column.index], content = marked(text, match);
	const cell = element('td', { class: `name${column.level >= FUNCTION ? ' code' : ''}`, title: text });

	if (!text)
		cell.append('–');
	else if (column.level === FUNCTION)
		cell.append(element('span', { class: 'level', title: modeOf(row.node).name,
					      style: `--c:var(${modeOf(row.node).color})` }), ...content);
	else
		cell.append(element('button', { type: 'button', title: 'Only this', on: () => {
			if (!view.filters.some((f) => f.level === column.level && f.text === text))
				view.filters.push({ level: column.level, text });
			view.zoom = -1;
			update();
		} }, ...content));
	return cell;
}

function showRows()
{
	const match = matcher(), sorted = columns();
	const by = sorted.find((column) => column.key === view.sort) || sorted[0];
	const found = rows.filter((row) => !match || row.names.some((name) => match.test(name)));
	const sign = view.descending ? -1 : 1;

	found.sort((a, b) => {
		const x = by.value(a), y = by.value(b);

		return (typeof x === 'string' ? x.localeCompare(y) : x - y) * sign ||
		       b.samples - a.samples;
	});
	const shown = found.slice(0, view.limit);
	const most = shown.reduce((m, row) => Math.max(m, row.interval.high), 1e-9);
	$('rows').replaceChildren(...shown.map((row) => element('tr', {},
		element('td', { class: 'share' }, gauge(row, most)),
		element('td', { class: 'number' }, percent(row.share)),
		element('td', { class: 'number' }, range(row.interval)),
		element('td', { class: 'number' }, count(row.samples)),
		...sorted.filter((column) => column.level !== undefined)
			.map((column) => nameCell(row, column, match)))));
	if (!shown.length)
		$('rows').append(element('tr', {}, element('td', { class: 'none', colspan: 9 },
			match ? 'Nothing is called so.' : 'No samples here.')));
	const sum = found.reduce((s, row) => s + row.share, 0);
	$('matches').textContent = match ?
		`${count(found.length)} found, ${percent(sum)} %` : '';
	$('shown').textContent = `${count(shown.length)} of ${count(found.length)} rows, ` +
				 `${count(blocks.samples)} samples in view`;
	$('more').hidden = shown.length === found.length;
}

function showGroup()
{
	const known = [PROCESS, OBJECT, FUNCTION, INLINED].filter((level) =>
		at.some((levels) => levels[level] >= 0));

	$('group').replaceChildren(...known.map((level) => element('button', {
		type: 'button',
		'aria-pressed': String(view.by.includes(level)),
		'data-level': level,
		on: () => {
			const by = view.by.includes(level) ? view.by.filter((l) => l !== level) :
							     [...view.by, level].sort();

			if (by.length)
				view.by = by;
			update();
		},
	}, LEVEL_NAMES[level])));
}

function showFilters()
{
	$('filters').replaceChildren(...view.filters.map((filter, i) => element('button', {
		type: 'button',
		on: () => {
			view.filters.splice(i, 1);
			update();
		},
	}, filter.text)));
}

function setUpTable()
{
	$('search').addEventListener('input', () => {
		view.search = $('search').value;
		view.limit = 100;
		showRows();
		showStacks();
	});
	$('more').addEventListener('click', () => {
		view.limit *= 4;
		showRows();
	});
	document.addEventListener('keydown', (event) => {
		if (event.key === '/' && document.activeElement !== $('search')) {
			event.preventDefault();
			$('search').focus();
		} else if (event.key === 'Escape' && (view.search || view.zoom >= 0)) {
			$('search').value = view.search = '';
			view.zoom = -1;
			showRows();
			showStacks();
		}
	});
}

function setUpTheme()
{
	const root = document.documentElement;

	root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
	$('theme').addEventListener('click', () => {
		root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
		drawTimeline();
	});
}

// The choice goes into the address: a reload reads that event's data and keeps nothing of another's
function setUpEvents()
{
	const select = $('event');

	select.hidden = events.length < 2;
	for (const name of data.events || [])
		select.add(new Option(name));
	select.selectedIndex = shownEvent;
	select.addEventListener('change', () => {
		location.hash = `event=${select.selectedIndex}`;
		location.reload();
	});
}

function update()
{
	view.limit = 100;
	recount();
	rows = makeRows();
	showGroup();
	showFilters();
	showHead();
	showRows();
	showStacks();
}

setUpTheme();
setUpEvents();
showFacts();
showLedger();
showLegend();
showLanes();
setUpTimeline();
setUpStacks();
setUpTable();
drawTimeline();
update();

})();
