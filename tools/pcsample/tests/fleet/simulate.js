// SPDX-License-Identifier: GPL-2.0-only
//
// Writes the files of a simulated fleet in the format of `pcsample export --format rows`, with
// known faults.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

const HOSTS = 200, MINUTES = 4, FUNCTIONS = 3000, READS = 3000;
const OBJECT = '/usr/bin/app', OLD = 'aa'.repeat(20), NEW = 'bb'.repeat(20);
const COLUMNS = 'host start key command object build_id function samples ledger'.split(' ');

// The planted faults
const GREW = 100, RATIO = 1.3;		// function GREW takes 30 % more with the new build
const BUSY = 42, BUSY_IN = 55, TIMES = 4;	// a host with four times as much of one function
const WITHOUT = 43, LACKS = 3;		// a host that does not run one function
const LATE = 7;				// a host whose reads are late
const GAP = 8;				// a host with a missing minute
const STOPPED = 9;			// a host that sends nothing after two minutes

// mulberry32
function random(seed)
{
	return () => {
		let t = seed = seed + 0x6d2b79f5 | 0;
		t = Math.imul(t ^ t >>> 15, t | 1);
		t ^= t + Math.imul(t ^ t >>> 7, t | 61);
		return ((t ^ t >>> 14) >>> 0) / 4294967296;
	};
}

function normal(rand)
{
	return Math.sqrt(-2 * Math.log(1 - rand())) * Math.cos(2 * Math.PI * rand());
}

// A small mean by multiplying uniform numbers, a large one as a sum of small ones
function poisson(rand, mean)
{
	let n = 0;

	for (; mean > 16; mean -= 16)
		n += poisson(rand, 16);
	for (let p = rand(), limit = Math.exp(-mean); p > limit; p *= rand())
		n++;
	return n;
}

function fnv(text)
{
	let hash = 0xcbf29ce484222325n;

	for (const byte of Buffer.from(text))
		hash = (hash ^ BigInt(byte)) * 0x100000001b3n & 0xffffffffffffffffn;
	return hash;
}

// Shares of the functions: a few are large
function shares()
{
	const weight = Array.from({ length: FUNCTIONS }, (_, i) => 1 / (i + 20));
	const sum = weight.reduce((a, b) => a + b);

	return weight.map(w => w / sum);
}

function about(name, build)
{
	return ['app', OBJECT, build, name].join('\t');
}

const lines = [OLD, NEW].map(build => Array.from({ length: FUNCTIONS }, (_, i) => {
	const text = about(`function_${i}`, build);

	return `${fnv(text)}\t${text}`;
}));

// The minutes of one host. Each function's share varies by 15 % between hosts, as does the load.
function host(dir, number, start, truth, seed)
{
	const rand = random(seed * 1000003 + number), isNew = number >= HOSTS / 2;
	const id = fnv(`host ${number}`), load = 0.5 + rand();
	const mean = truth.map((share, i) => {
		let factor = Math.max(0.2, 1 + 0.15 * normal(rand));

		if (isNew && i === GREW)
			factor *= RATIO;
		if (number === BUSY && i === BUSY_IN)
			factor *= TIMES;
		if (number === WITHOUT && i === LACKS)
			factor = 0;
		return share * factor * READS * load;
	});
	for (let minute = 0; minute < MINUTES; minute++) {
		const at = start + 60013 * minute + number, rows = [];
		let samples = 0;

		mean.forEach((m, i) => {
			const n = poisson(rand, m);

			samples += n;
			if (n)
				rows.push([id, at, lines[+isNew][i], n, ''].join('\t'));
		});
		if ((number === GAP && minute === 1) || (number === STOPPED && minute >= 2))
			continue;
		const idle = 5000, late = number === LATE ? 1000 : 0;
		const ledger = JSON.stringify({
			hostname: `host-${number}`, kernel: '6.12', event: 'arm_pcsample//', ms: 60013,
			minutes: 1, cpus: 4, samples, lost: 0, throttled: 0,
			planned: samples + idle + late, sample: samples, idle, late,
		});
		fs.writeFileSync(`${dir}/${number}-${minute}.rows.gz`, zlib.gzipSync([
			COLUMNS.join('\t'), [id, at, 0, '', '', '', '', 0, ledger].join('\t'),
			...rows, ''].join('\n'), { level: 1 }));
	}
}

// Write files to @dir, starting at @start (ms since 1970). Returns the simulated shares.
function simulate(dir, start, seed)
{
	const truth = shares();

	for (let i = 0; i < HOSTS; i++)
		host(dir, i, start, truth, seed);
	return truth;
}

module.exports = {
	simulate, HOSTS, MINUTES, FUNCTIONS, OBJECT, OLD, NEW, GREW, RATIO, BUSY, BUSY_IN, WITHOUT,
	LACKS, LATE, GAP, STOPPED,
};
