// SPDX-License-Identifier: GPL-2.0-only
//
// Runs the SQL file in ClickHouse's own engine (chdb), with a simulated fleet and with files that
// pcsample exported. Prints TAP.
//
// engine.js CHDB SQL DIR [EXPORTED SAMPLES]: DIR is empty
'use strict';
const fs = require('fs');
const assert = require('assert/strict');
const sim = require('./simulate.js');
const [chdb, sql, dir, exported, samples] = process.argv.slice(2);
const { Session } = require(chdb);

// With a new seed a correct program fails one of these checks with a probability below 5 %
const SEED = 20;
const HOUR = 3600000;
// The start is in the last hour but one: roll-ups are made for complete hours
const start = Math.floor(Date.now() / HOUR - 2) * HOUR + 600000;

const session = new Session(`${dir}/db`);
const run = query => session.query(query);
const rows = query => session.query(query, 'JSONEachRow').split('\n').filter(Boolean).map(JSON.parse);
const time = ms => `'${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}'`;
const all = `from = ${time(start - 60000)}, to = ${time(start + HOUR / 2)}`;

// Split as clickhouse-client --multiquery does: no string in the file has a semicolon
function load(path)
{
	for (const query of fs.readFileSync(path, 'utf8').replace(/^\s*--.*$/mg, '').split(';'))
		if (query.trim())
			run(query);
}

function send(files)
{
	run(`INSERT INTO pcsample.incoming SELECT * FROM file('${files}', 'TSVWithNames',
		'host UInt64, start UInt64, key UInt64, command String, object String,
		build_id String, function String, samples UInt32, ledger String')`);
}

let number = 0, failed = 0;

function check(name, test)
{
	const since = Date.now();

	number++;
	try {
		test();
		console.log(`ok ${number} - ${name} # ${(Date.now() - since) / 1000} s`);
	} catch (e) {
		failed++;
		console.log(`not ok ${number} - ${name}`);
		console.log(String(e.stack || e).slice(0, 3000).replace(/^/mg, '# '));
	}
}

const regressions = () => rows(`SELECT function, ratio, round(q, 12) AS q, functions, old_hosts,
	new_hosts, difference_low < old_share * ${sim.RATIO - 1}
		AND difference_high > old_share * ${sim.RATIO - 1} AS covers
	FROM pcsample.regressions(${all}, object = '${sim.OBJECT}', old = '${sim.OLD}',
		new = '${sim.NEW}') ORDER BY q, function`);
const deviating = () => rows(`SELECT hostname, function, round(t, 9) AS t,
		round(log10(q), 6) AS log_q, samples
	FROM pcsample.deviating(${all}) WHERE q < 0.01 ORDER BY hostname`);
const share = () => rows(`SELECT object, function, round(share, 12) AS share, round(low, 12) AS low,
	round(high, 12) AS high, samples, hosts FROM pcsample.share(${all}) ORDER BY object, function`);
const lost = () => rows(`SELECT * FROM pcsample.lost(${all}) ORDER BY host`);
const silent = () => rows(`SELECT name FROM pcsample.silent(
	at = ${time(start + 5 * 60000)}, minutes = 2)`);

function roll_up()
{
	for (const view of ['samples_hour_make', 'moments_make']) {
		run(`SYSTEM REFRESH VIEW pcsample.${view}`);
		run(`SYSTEM WAIT VIEW pcsample.${view}`);
	}
	return {
		hours: rows(`SELECT key, host, samples FROM pcsample.samples_hour FINAL
			ORDER BY key, host`),
		trend: rows(`SELECT hour, round(share, 12) AS share, round(low, 12) AS low,
			round(high, 12) AS high, hosts FROM pcsample.trend(from = ${time(start - HOUR)},
			to = ${time(start + HOUR)}, object = '${sim.OBJECT}', function = 'function_7')`),
	};
}

console.log('1..14');
let truth, first;

check('the file is accepted, and again', () => {
	load(sql);
	load(sql);
});
check('approximations of Student\'s t are near the tables', () => {
	for (const [df, t] of [[1, 12.706], [2, 4.303], [3, 3.1824], [5, 2.5706], [10, 2.2281],
			       [30, 2.0423], [199, 1.97196]]) {
		const [r] = rows(`SELECT pcsample_t975(${df}) AS t, pcsample_p(${t}, ${df}) AS p`);

		assert(Math.abs(r.t / t - 1) < 0.008, `${df}: ${r.t}`);
		assert(df < 3 || Math.abs(r.p / 0.05 - 1) < 0.03, `${df}: ${r.p}`);
	}
});
check('the intervals of shares are Wilson\'s', () => {
	// Newcombe's tables have 0.0552 to 0.1744 for 10 of 100, with 1.96
	const [r] = rows('SELECT pcsample_wilson(0.1, 100., 1.96, -1) AS a, ' +
		'pcsample_wilson(0.1, 100., 1.96, 1) AS b');

	assert(Math.abs(r.a - 0.0552) < 1e-4 && Math.abs(r.b - 0.1744) < 1e-4, JSON.stringify(r));
});
check('200 hosts are simulated and sent', () => {
	fs.mkdirSync(`${dir}/files`);
	truth = sim.simulate(`${dir}/files`, start, SEED);
	send(`${dir}/files/*.rows.gz`);
	const [n] = rows(`SELECT count() AS rows, uniqExact(host) AS hosts FROM pcsample.samples`);
	assert.equal(Number(n.hosts), sim.HOSTS);
	console.log(`# ${n.rows} rows`);
});
check('what a function takes is of all samples, and of all hosts', () => {
	const s = share();
	const sum = s.reduce((a, r) => a + r.share, 0);

	assert(Math.abs(sum - 1) < 1e-9, `${sum}`);
	assert(s.every(r => Number(r.hosts) === sim.HOSTS && r.low <= r.share && r.share <= r.high));
});
check('95 % intervals have the true share in 93 % to 97 % of functions', () => {
	// Of 500 functions, 93 % to 97 % are two standard deviations: outside with probability 0.05
	const s = share().filter(r => {
		const i = Number(r.function.split('_')[1]);
		return i < 500 && i !== sim.GREW && i !== sim.BUSY_IN && i !== sim.LACKS;
	});
	const n = s.filter(r => {
		const t = truth[Number(r.function.split('_')[1])];
		return r.low <= t && t <= r.high;
	}).length;

	console.log(`# ${n} of ${s.length}`);
	assert(n / s.length >= 0.93 && n / s.length <= 0.97, `${n} of ${s.length}`);
});
check('the regression is found, and nothing else', () => {
	const found = regressions().filter(r => r.q < 0.01);

	console.log(`# ${JSON.stringify(found)}`);
	assert.deepEqual(found.map(r => r.function), [`function_${sim.GREW}`]);
	assert(found[0].covers && found[0].ratio > 1.2 && found[0].ratio < 1.4);
	assert.equal(Number(found[0].functions), sim.FUNCTIONS);
	assert.equal(Number(found[0].old_hosts) + Number(found[0].new_hosts), sim.HOSTS);
});
check('the hosts that deviate are found, and no other', () => {
	const found = deviating();

	console.log(`# ${JSON.stringify(found)}`);
	assert.deepEqual(found.map(r => [r.hostname, r.function]), [
		[`host-${sim.BUSY}`, `function_${sim.BUSY_IN}`],
		[`host-${sim.WITHOUT}`, `function_${sim.LACKS}`]]);
});
check('what was lost adds up, and is told by host', () => {
	const l = lost();

	assert.equal(l.length, sim.HOSTS);
	for (const r of l) {
		const n = Number(r.name.split('-')[1]);

		assert.equal(Number(r.unexplained), 0);
		assert.equal(Number(r.late), n === sim.LATE ? 1000 * sim.MINUTES : 0, r.name);
		assert.equal(r.seconds_missing > 59, n === sim.GAP, r.name);
		assert(r.seconds_missing < 61);
	}
});
check('a host that stopped is seen', () => {
	assert.deepEqual(silent(), [{ name: `host-${sim.STOPPED}` }]);
});
check('roll-ups have the same samples, and the same shares', () => {
	const [n] = rows('SELECT sum(samples) AS n FROM pcsample.samples FINAL');
	const rolled = roll_up();

	assert.equal(rolled.hours.reduce((a, r) => a + Number(r.samples), 0), Number(n.n));
	const s = share().find(r => r.function === 'function_7');
	assert.equal(rolled.trend.length, 1);
	for (const column of ['share', 'low', 'high'])
		assert(Math.abs(rolled.trend[0][column] - s[column]) < 1e-9, column);
});
check('each file sent twice changes nothing', () => {
	const answers = () => ({ share: share(), regressions: regressions(), deviating: deviating(),
				 lost: lost(), silent: silent(), rolled: roll_up() });
	const before = answers();

	send(`${dir}/files/*.rows.gz`);
	const [n] = rows('SELECT count() AS n FROM pcsample.samples');
	const [f] = rows('SELECT count() AS n FROM pcsample.samples FINAL');
	console.log(`# ${n.n} rows are ${f.n}`);
	assert.deepEqual(answers(), before);
});
check('what pcsample exported is taken as it is', () => {
	if (!exported)
		return console.log('# none was given');
	send(exported);
	const [n] = rows(`SELECT sum(samples) AS n FROM pcsample.samples
		WHERE host NOT IN (SELECT host FROM pcsample.ledger WHERE hostname LIKE 'host-%')`);
	assert.equal(Number(n.n), Number(samples));
	const [l] = rows(`SELECT sum(samples) AS n, sum(planned) AS planned FROM pcsample.ledger
		WHERE hostname NOT LIKE 'host-%'`);
	assert.equal(Number(l.n), Number(samples));
	console.log(`# planned ${l.planned}`);
});
check('bytes of a row', () => {
	run('OPTIMIZE TABLE pcsample.samples FINAL');
	for (const table of ['samples', 'functions', 'ledger']) {
		const [r] = rows(`SELECT sum(rows) AS n, sum(data_compressed_bytes) AS bytes
			FROM system.parts WHERE active AND database = 'pcsample' AND table = '${table}'`);
		console.log(`# ${table}: ${r.n} rows, ${r.bytes} bytes, ${(r.bytes / r.n).toFixed(2)} each`);
		assert(r.n > 0);
	}
	for (const r of rows(`SELECT column, sum(column_data_compressed_bytes) AS bytes
		FROM system.parts_columns WHERE active AND database = 'pcsample' AND table = 'samples'
		GROUP BY column`))
		console.log(`#   ${r.column}: ${r.bytes}`);
});
session.close();
process.exitCode = failed ? 1 : 0;
