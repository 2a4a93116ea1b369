// SPDX-License-Identifier: GPL-2.0-only
//
// Chromium, driven by playwright-core.

'use strict';

const { chromium } = require('playwright-core');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	       '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// withBrowser(use): call use() with a new browser
async function withBrowser(use)
{
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		headless: true,
		args: FLAGS,
		timeout: 120000,
	});

	try {
		return await use(browser);
	} finally {
		await browser.close();
	}
}

// withPage(browser, use, expected): call use() with a page that shares nothing with others. Fails
// if the page logs an error that is not expected, or requests an address that is not a file.
async function withPage(browser, use, expected)
{
	const wrong = [];
	const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });

	try {
		const page = await context.newPage();

		page.setDefaultTimeout(120000);
		page.on('pageerror', (error) => wrong.push(error.stack));
		page.on('console', (message) => {
			if (message.type() === 'error' && !(expected && expected.test(message.text())))
				wrong.push(message.text());
		});
		page.on('request', (request) => {
			if (!/^(file|data|blob):/.test(request.url()))
				wrong.push(`asked for ${request.url()}`);
		});
		await use(page);
	} finally {
		await context.close();
	}
	if (wrong.length)
		throw new Error(wrong.join('\n'));
}

module.exports = { withBrowser, withPage };
