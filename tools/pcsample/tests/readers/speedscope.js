// SPDX-License-Identifier: GPL-2.0-only
//
// speedscope.js PACKAGE FILE: open FILE in speedscope, the HTML page in the npm package, and print
// its list of functions as NAME, a tab, samples of 1 ms. Also check FILE by the schema of the
// package.

'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { withBrowser, withPage } = require('./browser.js');

const [dir, file] = process.argv.slice(2);
const release = path.join(dir, 'dist/release');

// Implements as much of JSON Schema as the schema of speedscope uses
function check(schema, root, value, where)
{
	const wrong = (what) => {
		throw new Error(`${where}: ${what}`);
	};

	if (schema.$ref)
		return check(schema.$ref.slice(2).split('/').reduce((s, key) => s[key], root), root,
			     value, where);
	if (schema.anyOf) {
		const reasons = [];

		for (const one of schema.anyOf) {
			try {
				return check(one, root, value, where);
			} catch (error) {
				reasons.push(error.message);
			}
		}
		wrong(reasons.join(' and '));
	}
	if ('const' in schema && value !== schema.const)
		wrong(`not ${schema.const}`);
	if (schema.enum && !schema.enum.includes(value))
		wrong(`none of ${schema.enum}`);
	const type = Array.isArray(value) ? 'array' : typeof value;
	if (schema.type && schema.type !== type)
		wrong(`a ${type}, not a ${schema.type}`);
	for (const key of schema.required || [])
		if (!(key in value))
			wrong(`no ${key}`);
	for (const [key, part] of Object.entries(schema.properties || {}))
		if (key in value)
			check(part, root, value[key], `${where}.${key}`);
	if (schema.items)
		value.forEach((item, i) => check(schema.items, root, item, `${where}[${i}]`));
	return undefined;
}

const schema = JSON.parse(fs.readFileSync(path.join(release, 'file-format-schema.json')));
const profile = fs.readFileSync(file);
check(schema, schema, JSON.parse(profile), 'file');

// As speedscope's own command does: a script beside the page calls it with the file
const script = path.join(path.dirname(file), 'known.js');
fs.writeFileSync(script, 'speedscope.loadFileFromBase64("known", ' +
			 `${JSON.stringify(profile.toString('base64'))})`);

withBrowser((browser) => withPage(browser, async (page) => {
	const samples = new Map();
	// SELF as "39.00ms (4.3%)" and a name; a process or an object has no self time. The rows are a
	// table of their own, which the page adds after the one with the heads. Going through the first
	// view removes those of another CPU.
	const readList = async (cpu) => {
		await page.waitForFunction((text) => document.body.innerText.includes(text), cpu);
		await page.keyboard.press('1');
		await page.waitForFunction(() => !document.body.innerText.includes('Symbol Name'));
		await page.keyboard.press('3');
		await page.waitForFunction(() => {
			const [heads, rows] = [...document.querySelectorAll('table')].slice(-2);

			return rows && heads.innerText.includes('Symbol Name') && rows.querySelector('td');
		});
		const list = await page.$$eval('table', (tables) =>
			[...tables[tables.length - 1].rows].map((row) =>
				[...row.cells].map((cell) => cell.innerText.trim())));

		for (const [, self, name] of list) {
			const [, time, unit] = /^([\d.]+)(ms|s)/.exec(self) || [];

			if (Number(time))
				samples.set(name, (samples.get(name) || 0) +
					    Math.round(time * (unit === 's' ? 1000 : 1)));
		}
	};

	await page.goto(`${pathToFileURL(path.join(release, 'index.html'))}` +
			`#localProfilePath=${script}`);
	await readList('CPU 0 (1/2)');
	await page.keyboard.press('n');
	await readList('CPU 1 (2/2)');
	for (const [name, n] of samples)
		process.stdout.write(`${name}\t${n}\n`);
})).catch((error) => {
	console.error(error);
	process.exit(1);
});
