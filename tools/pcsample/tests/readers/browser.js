// SPDX-License-Identifier: GPL-2.0-only
//
// Chromium, driven by playwright-core.

'use strict';

const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require('playwright-core');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	       '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// withPage(use, expected): call use() with a page of a browser of its own. What the page complains
// about is a failure, unless it is expected, and so is every address it asks for that is no file.
module.exports = async function withPage(use, expected)
{
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'pcsample-browser-'));
	const wrong = [];
	const browser = await chromium.launchPersistentContext(profile, {
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		headless: true,
		args: FLAGS,
		viewport: { width: 1400, height: 1000 },
		timeout: 120000,
	});

	try {
		const page = browser.pages()[0] || await browser.newPage();

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
		await browser.close();
		fs.rmSync(profile, { recursive: true, force: true });
	}
	if (wrong.length)
		throw new Error(wrong.join('\n'));
};
