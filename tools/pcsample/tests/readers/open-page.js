// SPDX-License-Identifier: GPL-2.0-only
//
// open-page.js PAGE TIMES: print how many seconds Chromium takes to open and draw a page of
// pcsample export, once for each of TIMES.

'use strict';

const { pathToFileURL } = require('url');
const { withBrowser, withPage } = require('./browser.js');

const [file, times] = process.argv.slice(2);

withBrowser(async (browser) => {
	for (let i = 0; i < Number(times); i++)
		await withPage(browser, async (page) => {
			const start = performance.now();

			await page.goto(pathToFileURL(file).href);
			await page.evaluate(() => new Promise((drawn) =>
				requestAnimationFrame(() => setTimeout(drawn))));
			console.log(((performance.now() - start) / 1000).toFixed(3));
		});
}).catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
