// SPDX-License-Identifier: GPL-2.0-only
//
// page.js PAGE EXPECTED TESTS [PAGE EXPECTED TESTS]...: run TESTS, names with commas between them,
// on pages of pcsample export, all in one Chromium. Prints "ok NAME" or "not ok NAME" for each, and
// errors on standard error.

'use strict';

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { withBrowser, withPage } = require('./browser.js');

// Expected contents of the page: [command, object, symbol, samples, inlined function]; with call
// chains also [stack, samples]
let expected, total, stacks;

function expect(file)
{
	expected = JSON.parse(fs.readFileSync(file, 'utf8'))
		.map(([comm, object, symbol, n, inlined]) =>
			[Buffer.from(comm, 'latin1').includes(0) ? comm :
				comm.replace(/[\ud800-\udfff]/g, '�'), object, symbol, n, inlined]);
	total = expected.reduce((sum, row) => sum + row[3], 0);
	stacks = null;
	if (fs.existsSync(path.join(path.dirname(file), 'stacks.json')))
		stacks = JSON.parse(fs.readFileSync(path.join(path.dirname(file), 'stacks.json')));
}

// Sums of the samples by a part of the rows
function sums(of)
{
	const result = {};

	for (const row of expected)
		result[of(row)] = (result[of(row)] || 0) + row[3];
	return result;
}

const number = (text) => Number(text.replace(/[^0-9.]/g, ''));

// The rows of the table: share in per cent, interval, samples, names
async function rows(page)
{
	const texts = await page.$$eval('#rows tr', (all) => all.map((row) =>
		[...row.cells].map((cell) => cell.textContent)));

	return texts.filter((cells) => cells.length > 3).map(([, share, range, samples, ...names]) => {
		const [low, high] = range.split('–').map(number);

		return { share: number(share), low, high, samples: number(samples), names };
	});
}

// The table has these rows and no others
async function sameRows(page, want)
{
	const got = {};

	for (const row of await rows(page))
		got[row.names.join('|')] = row.samples;
	assert.deepStrictEqual(got, want);
}

// The intervals are those of pcsample report
async function sameIntervals(page)
{
	const report = JSON.parse(fs.readFileSync('report.json', 'utf8')).events[0].rows;
	const shown = await rows(page);

	assert.strictEqual(shown.length, report.length);
	for (const want of report) {
		const name = [want.comm, want.dso, want.symbol].join('|');
		const got = shown.find((row) => row.names.join('|') === name);

		for (const end of ['low', 'high'])
			assert(Math.abs(got[end] - 100 * want[end]) < 0.0051,
			       `${name}: ${end} ${got[end]}, in the report ${100 * want[end]}`);
	}
}

const box = (page, text) => page.locator('.box', { hasText: text }).first();

const tests = {
	async shows(page)
	{
		await sameRows(page, sums((row) => row.slice(0, 3).join('|')));
		const facts = await page.textContent('#facts');
		assert.match(facts, new RegExp(`${total.toLocaleString('en-US')}samples`));
		assert.match(facts, /90\.00 %EL2 Non-secure/);
		assert.match(await page.textContent('#ledger'), /1,800 reads were planned.*idle 300/);
		assert.match(await page.textContent('#notes'), /this is a note/);
		assert.strictEqual(await page.locator('#lanes button').count(), 2);
		// The canvas is not of a single colour
		const colors = await page.$eval('#canvas', (canvas) => {
			const { data } = canvas.getContext('2d')
				.getImageData(0, 0, canvas.width, canvas.height);
			const seen = new Set();

			for (let i = 0; i < data.length; i += 4)
				seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
			return seen.size;
		});
		assert(colors > 3, `${colors} colours`);
	},

	// withPage() checks that nothing is requested; and a request would be refused
	async offline(page)
	{
		const refused = await page.evaluate(() => fetch('http://localhost:9/').then(
			() => false, () => true));
		assert(refused);
	},

	async table(page)
	{
		await page.keyboard.press('/');
		await page.keyboard.type('lock');
		let shown = await rows(page);
		assert(shown.length && shown.every((row) => /lock/.test(row.names[2])));
		assert.strictEqual(shown.length, 6);	// lock and unlock of three processes
		await page.fill('#search', '(');	// no regular expression
		assert.strictEqual((await rows(page)).length, 0);
		await page.fill('#search', '');
		await page.click('[data-sort="samples"]');
		shown = (await rows(page)).map((row) => row.samples);
		assert.deepStrictEqual(shown, shown.slice().sort((a, b) => b - a));
		await page.click('[data-sort="samples"]');
		shown = (await rows(page)).map((row) => row.samples);
		assert.deepStrictEqual(shown, shown.slice().sort((a, b) => a - b));
		await page.click('[data-sort="name2"]');
		shown = (await rows(page)).map((row) => row.names[2]);
		assert.deepStrictEqual(shown, shown.slice().sort((a, b) => a.localeCompare(b)));
		// Group without processes and objects
		await page.click('#group [data-level="0"]');
		await page.click('#group [data-level="1"]');
		await sameRows(page, sums((row) => row[2]));
	},

	async stacks(page)
	{
		const all = await page.locator('.box').count();

		assert.strictEqual(await page.locator('.box', { hasText: 'worker' }).count(), 1);
		await box(page, 'worker').click();
		assert.match(await page.textContent('#path'), /everything.*worker/);
		assert.strictEqual(await page.locator('.box').count(), 10);
		// The function with most samples comes first and is the widest
		const inside = await page.locator('.box').allTextContents();
		const worker = expected.filter((row) => row[0] === 'worker').sort((a, b) => b[3] - a[3]);
		assert.strictEqual(inside[2], worker[0][2]);
		const wide = await page.locator('.box').nth(2).boundingBox();
		const whole = await page.locator('.box').nth(0).boundingBox();
		const share = worker[0][3] / worker.reduce((sum, row) => sum + row[3], 0);
		assert(Math.abs(wide.width / whole.width - share) < 0.01, `${wide.width} of ${whole.width}`);
		await page.click('#flip');
		const root = await box(page, 'worker').boundingBox();
		assert(root.y > (await page.locator('.box').nth(2).boundingBox()).y);
		await page.locator('#path button').first().click();
		assert.strictEqual(await page.locator('.box').count(), all);
		await box(page, 'worker').hover();
		assert.match(await page.textContent('#tip'), /worker.*samples/s);
	},

	async choose(page)
	{
		// Select one CPU, and all again
		await page.click('[data-cpu="1"]');
		assert.match(await page.textContent('#shown'), /600 samples in view/);
		await page.click('#clear-time');
		assert.match(await page.textContent('#shown'), /1,500 samples in view/);
		// Select the middle of the time, when CPU 1 is idle
		const plot = await page.locator('#plot').boundingBox();
		await page.mouse.move(plot.x + 0.4 * plot.width, plot.y + 10);
		await page.mouse.down();
		await page.mouse.move(plot.x + 0.6 * plot.width, plot.y + 10, { steps: 4 });
		await page.mouse.up();
		assert(await page.isVisible('#brush'));
		const part = number((await page.textContent('#shown')).split(',')[1]);
		assert(part > 170 && part < 230, `${part} samples`);
		await page.click('[data-cpu="1"]');
		assert.match(await page.textContent('#rows'), /No samples here/);
		await page.click('#clear-time');
		// Select one process
		await page.locator('#rows button', { hasText: 'worker' }).first().click();
		await sameRows(page, Object.fromEntries(Object.entries(sums((row) =>
			row.slice(0, 3).join('|'))).filter(([key]) => key.startsWith('worker|'))));
		await page.locator('#filters button').click();
		await sameRows(page, sums((row) => row.slice(0, 3).join('|')));
	},

	async inlined(page)
	{
		const inside = sums((row) => row[4] || '–');

		await page.click('#group [data-level="3"]');
		await page.click('#group [data-level="0"]');
		await page.click('#group [data-level="1"]');
		await page.click('#group [data-level="2"]');
		await sameRows(page, inside);
		// A box has its own samples and those of the boxes in it
		await box(page, 'middle').hover();
		assert.match(await page.textContent('#tip'),
			     new RegExp(`middle.*${inside.inner + inside.middle} samples`));
		// The last level cannot be switched off: nothing would be left
		await page.click('#group [data-level="3"]');
		assert.strictEqual(await page.getAttribute('#group [data-level="3"]', 'aria-pressed'),
				   'true');
		await sameRows(page, inside);
		// Select only that row, and all again
		await page.locator('#rows button', { hasText: 'inner' }).click();
		await sameRows(page, { inner: inside.inner });
		await page.locator('#filters button').click();
		await page.click('#group [data-level="2"]');
		await page.click('#group [data-level="3"]');
		assert.strictEqual((await rows(page)).find((row) => row.names[0] === 'outer').samples,
				   sums((row) => row[2]).outer);
	},

	async calls(page)
	{
		const all = sums((row) => row.slice(0, 3).join('|'));

		await sameRows(page, all);
		assert.match(await page.textContent('#nesting'), /was called by/);
		// A box is in its caller, and the outermost one is in the process
		await box(page, 'other').click();
		await page.locator('.box').nth(1).click();
		await page.locator('.box').nth(2).click();
		const [, ...zoomed] = await page.locator('#path button').allTextContents();
		const inside = await page.locator('.box').allTextContents();
		assert.strictEqual(zoomed.length, 3);
		assert.strictEqual(zoomed[0], 'other');
		assert.deepStrictEqual(inside.slice(0, 3), zoomed);
		await page.locator('.box').nth(2).hover();
		const samples = stacks.filter(([stack]) => zoomed.every((name, i) =>
			name === (i ? stack[i] && stack[i][0] : stack[0]))).reduce((sum, [, n]) => sum + n, 0);
		assert.match(await page.textContent('#tip'), new RegExp(`%\\)${samples} samples`));
		// An object is not a box, but rows can be grouped by it
		assert.strictEqual(await page.locator('.box', { hasText: /^prog$/ }).count(), 0);
		await page.locator('#rows button', { hasText: 'prog' }).first().click();
		await sameRows(page, Object.fromEntries(Object.entries(all).filter(([key]) =>
			key.split('|')[1] === 'prog')));
	},

	// Each control works; a control that is missing in this list is a failure
	async controls(page)
	{
		const known = ['theme', 'event', 'clear-time', 'flip', 'search', 'more'];
		const ids = await page.$$eval('button[id], input[id], select[id], a[id]', (all) =>
			all.map((one) => one.id));
		assert.deepStrictEqual(ids.sort(), known.sort());
		const others = await page.$$eval('button:not([id])', (all) => [...new Set(all.map((one) =>
			Object.keys(one.dataset)[0] || one.parentElement.id || one.title))]);
		assert.deepStrictEqual(others.sort(), ['Only this', 'cpu', 'level', 'node', 'sort']);

		// With one event there is no choice of events
		assert(!await page.isVisible('#event'));
		const looks = () => page.evaluate(() => document.documentElement.dataset.theme +
			getComputedStyle(document.body).backgroundColor);
		const before = await looks();
		await page.click('#theme');
		assert.notStrictEqual(await looks(), before);
		await page.click('#theme');
		assert.strictEqual(await looks(), before);

		assert.strictEqual((await rows(page)).length, 100);
		await page.click('#more');
		assert.strictEqual((await rows(page)).length, 151);
		assert(!await page.isVisible('#more'));

		const value = { share: (row) => row.share, percent: (row) => row.share,
				low: (row) => row.low, samples: (row) => row.samples };
		for (const key of await page.$$eval('[data-sort]', (all) => all.map((one) =>
			one.dataset.sort))) {
			const of = value[key] || ((row) => row.names[Number(key.slice(4))]);
			const sign = [];

			for (let i = 0; i < 2; i++) {
				await page.click(`[data-sort="${key}"]`);
				const shown = (await rows(page)).map(of);
				const order = (a, b) => typeof a === 'string' ? a.localeCompare(b) : a - b;
				const pairs = shown.slice(1).map((v, n) => Math.sign(order(v, shown[n])));

				assert(!pairs.includes(1) || !pairs.includes(-1), key);
				sign.push(pairs.find((one) => one) || 0);
			}
			assert(sign[0] === -sign[1], `${key} is sorted one way only`);
		}

		await page.click('#flip');
		assert.strictEqual(await page.getAttribute('#flip', 'aria-pressed'), 'true');
		await page.click('#flip');
		assert.strictEqual(await page.getAttribute('#flip', 'aria-pressed'), 'false');
		// Zoom and search, and go back with the keyboard
		const all = await page.locator('.box').count();
		await box(page, 'outer').click();
		assert(await page.locator('.box').count() < all);
		await page.fill('#search', 'function7');
		assert.strictEqual((await rows(page)).length, 11);
		await page.keyboard.press('Escape');
		assert.strictEqual(await page.inputValue('#search'), '');
		assert.strictEqual(await page.locator('.box').count(), all);
		// Select one CPU, and all again
		await page.click('[data-cpu="1"]');
		assert(await page.isVisible('#clear-time'));
		await page.click('#clear-time');
		assert(!await page.isVisible('#clear-time'));
		// A narrow window has the same rows
		await page.setViewportSize({ width: 500, height: 800 });
		assert.strictEqual((await rows(page)).length, 100);
	},

	// The page shows the chosen event; expected is [event, samples]
	async events(page)
	{
		assert.deepStrictEqual(await page.$$eval('#event option', (all) =>
			all.map((one) => one.textContent)), expected.map(([event]) => event));
		assert(expected.length > 1);
		for (const i of [0, 1, 0]) {
			const [event, samples] = expected[i];

			if (await page.inputValue('#event') !== event) {
				await Promise.all([page.waitForEvent('load'),
						   page.selectOption('#event', event)]);
				await page.waitForSelector('#rows tr');
			}
			assert.strictEqual(await page.inputValue('#event'), event);
			assert((await page.textContent('#facts')).includes(
				`${samples}samples of ${event}`));
			assert.strictEqual((await rows(page)).reduce((sum, row) => sum + row.samples, 0),
					   samples);
		}
	},

	async intervals(page)
	{
		for (const row of await rows(page)) {
			assert(row.low < row.share && row.share < row.high, JSON.stringify(row));
			assert(row.high - row.low < 6);
		}
		// The intervals are those of the report, rounded; also after another view
		await sameIntervals(page);
		await page.click('[data-cpu="1"]');
		await page.click('#clear-time');
		await sameIntervals(page);
		const gauge = await page.locator('.gauge').first();
		const bar = await gauge.locator('i').boundingBox();
		const error = await gauge.locator('u').boundingBox();
		const end = bar.x + bar.width;
		assert(error.x < end && end < error.x + error.width);
	},
};

async function run(browser, file, test)
{
	try {
		await withPage(browser, async (page) => {
			await page.goto(pathToFileURL(file).href);
			await page.waitForSelector('#rows tr');
			await tests[test](page);
		}, test === 'offline' ? /Content Security Policy/ : null);
		console.log(`ok ${test}`);
	} catch (error) {
		console.log(`not ok ${test}`);
		console.error(`${test}:`, error);
	}
}

withBrowser(async (browser) => {
	for (let at = 2; at < process.argv.length; at += 3) {
		const [file, expectedFile, names] = process.argv.slice(at, at + 3);

		expect(expectedFile);
		for (const test of names.split(','))
			await run(browser, file, test);
	}
}).catch((error) => {
	console.error(error);
	process.exit(1);
});
