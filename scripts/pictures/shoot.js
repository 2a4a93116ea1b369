// SPDX-License-Identifier: GPL-2.0-only
//
// shoot.js PAGE PAGE.png SCREEN SCREEN.png: pictures of a page of pcsample export, and of a
// terminal's screen as `tmux capture-pane -e` has it.

'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { withBrowser, withPage } = require('../../tools/pcsample/tests/readers/browser.js');

const COLOURS = ['#000', '#c33', '#3a3', '#a80', '#36c', '#a3a', '#1aa', '#ccc'];

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

// What an SGR sequence makes of the style: ECMA-48, 8.3.117
function applied(style, codes)
{
	const next = { ...style };

	for (const code of codes.split(';').map(Number)) {
		if (code === 0)
			return {};
		if (code === 1)
			next.bold = true;
		else if (code === 7)
			next.reverse = true;
		else if (code === 39)
			delete next.colour;
		else if (code >= 30 && code < 38)
			next.colour = COLOURS[code - 30];
		else if (code === 49)
			delete next.ground;
		else if (code >= 40 && code < 48)
			next.ground = COLOURS[code - 40];
	}
	return next;
}

function css(style)
{
	const pair = [style.colour || '#ddd', style.ground || '#111'];
	const [colour, ground] = style.reverse ? pair.reverse() : pair;

	return `color:${colour};background:${ground};` + (style.bold ? 'font-weight:bold' : '');
}

function terminalPage(screen)
{
	let style = {}, html = '';

	for (const part of screen.trimEnd().split(/(\x1b\[[0-9;]*m|\x1b\(B|\x0f)/)) {
		const sgr = /^\x1b\[([0-9;]*)m$/.exec(part);

		if (sgr)
			style = applied(style, sgr[1]);
		else if (!/^[\x1b\x0f]/.test(part))
			html += `<span style="${css(style)}">${escaped(part)}</span>`;
	}
	const look = 'display:inline-block;margin:0;padding:12px;background:#111;' +
		"font:15px/1.25 'DejaVu Sans Mono'";

	return `<meta charset="utf-8"><body style="margin:0"><pre style="${look}">${html}</pre>`;
}

async function main([page, pagePng, screen, screenPng])
{
	await withBrowser(async (browser) => {
		await withPage(browser, async (tab) => {
			await tab.setViewportSize({ width: 1200, height: 1000 });
			await tab.goto(pathToFileURL(path.resolve(page)).href);
			await tab.waitForSelector('#rows tr');
			await tab.screenshot({ path: pagePng });
		});
		await withPage(browser, async (tab) => {
			await tab.setContent(terminalPage(fs.readFileSync(screen, 'utf8')));
			await (await tab.$('pre')).screenshot({ path: screenPng });
		});
	});
}

main(process.argv.slice(2)).catch((error) => {
	console.error(`pictures: ${error.message}`);
	process.exit(1);
});
