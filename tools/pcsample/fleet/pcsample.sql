-- SPDX-License-Identifier: GPL-2.0-only
--
-- The profiles of many machines in ClickHouse: what `pcsample ship` sends, how long it is kept, and
-- the questions that people ask of it. For ClickHouse 24.10 or newer:
--
--	clickhouse-client --multiquery < pcsample.sql
--
-- Running it again changes nothing. Documentation/fleet.md has the architecture and the sizes.

CREATE DATABASE IF NOT EXISTS pcsample;

-- 1. The way in
--
-- A file of the spool is one INSERT here. Its rows go to the tables below. A row with the key 0 has
-- the ledger.

CREATE TABLE IF NOT EXISTS pcsample.incoming
(
	host UInt64,
	start UInt64,
	key UInt64,
	command String,
	object String,
	build_id String,
	function String,
	samples UInt32,
	ledger String
)
ENGINE = Null;

-- 2. Tables, and how long they keep what is in them
--
-- Each replaces a row by a later one of the same ORDER BY key, so that a file that is sent twice
-- counts once. Until parts are merged, both rows are there: queries say FINAL.

-- What a key stands for. One row for each INSERT and key, however many rows have it.
CREATE TABLE IF NOT EXISTS pcsample.functions
(
	key UInt64,
	command LowCardinality(String),
	object LowCardinality(String),
	build_id LowCardinality(String),
	function String,
	seen Date
)
ENGINE = ReplacingMergeTree(seen)
ORDER BY key
TTL seen + INTERVAL 400 DAY;

CREATE MATERIALIZED VIEW IF NOT EXISTS pcsample.functions_in TO pcsample.functions AS
SELECT
	key,
	any(incoming.command) AS command,
	any(incoming.object) AS object,
	any(incoming.build_id) AS build_id,
	any(incoming.function) AS function,
	toDate(fromUnixTimestamp64Milli(toInt64(max(start)), 'UTC')) AS seen
FROM pcsample.incoming
WHERE key != 0
GROUP BY key;

-- Minutes. In this order a host's minutes of a function are neighbours, and all but the samples
-- packs to next to nothing; an hour is a partition, so that a query of an hour reads no other.
CREATE TABLE IF NOT EXISTS pcsample.samples
(
	start DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
	host UInt64 CODEC(ZSTD(1)),
	key UInt64 CODEC(ZSTD(1)),
	samples UInt32 CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toStartOfHour(start)
ORDER BY (key, host, start)
TTL toDateTime(start) + INTERVAL 7 DAY
SETTINGS ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pcsample.samples_in TO pcsample.samples AS
SELECT
	fromUnixTimestamp64Milli(toInt64(incoming.start), 'UTC') AS start,
	host,
	key,
	samples
FROM pcsample.incoming
WHERE key != 0;

-- What samples are a share of, and what became of the reads that gave none. A host that sampled and
-- had nothing of a function is here, and counts.
CREATE TABLE IF NOT EXISTS pcsample.ledger
(
	start DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
	host UInt64 CODEC(ZSTD(1)),
	hostname LowCardinality(String),
	kernel LowCardinality(String),
	event LowCardinality(String),
	ms UInt32 CODEC(T64, ZSTD(1)),
	cpus UInt16 CODEC(T64, ZSTD(1)),
	samples UInt32 CODEC(T64, ZSTD(1)),
	planned UInt64 CODEC(T64, ZSTD(1)),
	filtered UInt64 CODEC(T64, ZSTD(1)),
	idle UInt64 CODEC(T64, ZSTD(1)),
	prohibited UInt64 CODEC(T64, ZSTD(1)),
	debug UInt64 CODEC(T64, ZSTD(1)),
	no_branch UInt64 CODEC(T64, ZSTD(1)),
	error UInt64 CODEC(T64, ZSTD(1)),
	late UInt64 CODEC(T64, ZSTD(1)),
	preempted UInt64 CODEC(T64, ZSTD(1)),
	buffer_full UInt64 CODEC(T64, ZSTD(1)),
	lost UInt64 CODEC(T64, ZSTD(1)),
	throttled UInt64 CODEC(T64, ZSTD(1)),
	received DateTime('UTC') CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMMDD(start)
ORDER BY (host, start)
TTL toDateTime(start) + INTERVAL 90 DAY
SETTINGS ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pcsample.ledger_in TO pcsample.ledger AS
SELECT
	fromUnixTimestamp64Milli(toInt64(incoming.start), 'UTC') AS start,
	host,
	JSONExtractString(ledger, 'hostname') AS hostname,
	JSONExtractString(ledger, 'kernel') AS kernel,
	JSONExtractString(ledger, 'event') AS event,
	JSONExtractUInt(ledger, 'ms') AS ms,
	JSONExtractUInt(ledger, 'cpus') AS cpus,
	JSONExtractUInt(ledger, 'samples') AS samples,
	JSONExtractUInt(ledger, 'planned') AS planned,
	JSONExtractUInt(ledger, 'filtered') AS filtered,
	JSONExtractUInt(ledger, 'idle') AS idle,
	JSONExtractUInt(ledger, 'prohibited') AS prohibited,
	JSONExtractUInt(ledger, 'debug') AS debug,
	JSONExtractUInt(ledger, 'no_branch') AS no_branch,
	JSONExtractUInt(ledger, 'error') AS error,
	JSONExtractUInt(ledger, 'late') AS late,
	JSONExtractUInt(ledger, 'preempted') AS preempted,
	JSONExtractUInt(ledger, 'buffer_full') AS buffer_full,
	JSONExtractUInt(ledger, 'lost') AS lost,
	JSONExtractUInt(ledger, 'throttled') AS throttled,
	now('UTC') AS received
FROM pcsample.incoming
WHERE key = 0;

-- 3. Roll-ups
--
-- Made once an hour, of hours of which something was received since: a sum that grew with each
-- INSERT would count a file twice that is sent twice. An hour that is made again replaces itself.

CREATE TABLE IF NOT EXISTS pcsample.samples_hour
(
	hour DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
	host UInt64 CODEC(ZSTD(1)),
	key UInt64 CODEC(ZSTD(1)),
	samples UInt32 CODEC(T64, ZSTD(1)),
	made DateTime('UTC') CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(made)
PARTITION BY toYYYYMMDD(hour)
ORDER BY (key, host, hour)
TTL hour + INTERVAL 30 DAY
SETTINGS ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pcsample.samples_hour_make
REFRESH EVERY 1 HOUR OFFSET 10 MINUTE APPEND TO pcsample.samples_hour AS
SELECT
	toStartOfHour(start) AS hour,
	host,
	key,
	toUInt32(sum(samples)) AS samples,
	now('UTC') AS made
FROM (SELECT start, host, key, samples FROM pcsample.samples FINAL)
WHERE toStartOfHour(start) IN (
		SELECT toStartOfHour(start)
		FROM pcsample.ledger
		WHERE received >= now() - INTERVAL 3 HOUR)
	AND start < toStartOfHour(now())
GROUP BY hour, host, key;

-- What intervals over hosts are made of, when the hosts themselves are gone: sums over hosts of
-- samples x of a function and n of all, of x * x, x * n, n * n
CREATE TABLE IF NOT EXISTS pcsample.moments
(
	hour DateTime('UTC') CODEC(Delta(4), ZSTD(1)),
	object LowCardinality(String),
	function String CODEC(ZSTD(1)),
	hosts UInt32 CODEC(T64, ZSTD(1)),
	x Float64 CODEC(ZSTD(1)),
	n Float64 CODEC(ZSTD(1)),
	xx Float64 CODEC(ZSTD(1)),
	xn Float64 CODEC(ZSTD(1)),
	nn Float64 CODEC(ZSTD(1)),
	made DateTime('UTC') CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(made)
PARTITION BY toYYYYMM(hour)
ORDER BY (object, function, hour)
TTL hour + INTERVAL 400 DAY
SETTINGS ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS pcsample.moments_make
REFRESH EVERY 1 HOUR OFFSET 10 MINUTE DEPENDS ON pcsample.samples_hour_make
APPEND TO pcsample.moments AS
SELECT
	hour,
	object,
	function,
	any(all_hosts) AS hosts,
	sum(host_x) AS x,
	any(all_n) AS n,
	sum(host_x * host_x) AS xx,
	sum(host_x * host_n) AS xn,
	any(all_nn) AS nn,
	now('UTC') AS made
FROM
(
	SELECT hour, host, object, function, toFloat64(sum(samples)) AS host_x
	FROM
	(
		SELECT hour, host, key, samples
		FROM pcsample.samples_hour FINAL
		WHERE hour IN (
			SELECT toStartOfHour(start)
			FROM pcsample.ledger
			WHERE received >= now() - INTERVAL 3 HOUR)
	) AS s
	INNER JOIN (SELECT * FROM pcsample.functions FINAL) AS f USING key
	GROUP BY hour, host, object, function
) AS by_host
INNER JOIN
(
	SELECT toStartOfHour(start) AS hour, host, toFloat64(sum(samples)) AS host_n
	FROM pcsample.ledger FINAL
	GROUP BY hour, host
) AS of_host USING (hour, host)
INNER JOIN
(
	SELECT hour, count() AS all_hosts, sum(host_n) AS all_n, sum(host_n * host_n) AS all_nn
	FROM
	(
		SELECT toStartOfHour(start) AS hour, host, toFloat64(sum(samples)) AS host_n
		FROM pcsample.ledger FINAL
		GROUP BY hour, host
	)
	GROUP BY hour
) AS of_all USING hour
GROUP BY hour, object, function;

-- 4. Statistics
--
-- Samples of a host are alike: its load, its data. So a host is one observation, however many
-- samples it has (cluster sampling; Cochran, Sampling Techniques, chapter 6). The share of a
-- function is R = sum x / sum n over the hosts, its variance m / (m - 1) sum (x - R n)^2 / (sum n)^2.
-- It is taken to be at least what as many independent samples have.

CREATE OR REPLACE FUNCTION pcsample_variance AS (m, x, n, xx, xn, nn) ->
	if(m > 1 AND n > 0,
	   greatest(m / (m - 1) * (xx - 2 * x / n * xn + x / n * x / n * nn) / (n * n),
		    x / n * (1 - x / n) / n),
	   nan);

-- The 0.975 quantile of Student's t, by Cornish and Fisher's expansion: 0.8 % off for 3 degrees of
-- freedom, less for more
CREATE OR REPLACE FUNCTION pcsample_t975 AS (df) ->
	multiIf(df < 1, inf,
		df < 2, 12.706,
		df < 3, 4.303,
		1.959964 + 2.372271 / df + 2.822499 / (df * df) + 2.555850 / (df * df * df));

-- The interval of a share r: Wilson's, for as many independent samples as have its variance v. @side
-- is -1 or 1.
CREATE OR REPLACE FUNCTION pcsample_wilson AS (r, independent, t, side) ->
	if(isFinite(independent) AND isFinite(t),
	   (r + t * t / (2 * independent) +
	    side * t * sqrt(r * (1 - r) / independent + t * t / (4 * independent * independent))) /
	   (1 + t * t / independent),
	   if(side < 0, 0., 1.));

CREATE OR REPLACE FUNCTION pcsample_bound AS (r, v, m, side) ->
	greatest(0., least(1., pcsample_wilson(r, r * (1 - r) / v, pcsample_t975(m - 1), side)));

-- How likely a t as far from 0 is, on either side, by Wallace's approximation of Student's t
CREATE OR REPLACE FUNCTION pcsample_p AS (t, df) ->
	if(isFinite(t) AND df >= 1,
	   erfc(sqrt(df * log1p(t * t / df)) * (8 * df + 1) / (8 * df + 3) / sqrt(2)),
	   1.);

-- 5. Questions
--
-- Each is a view with parameters, as SELECT * FROM pcsample.share(from = '2026-11-22 10:00:00',
-- to = '2026-11-22 11:00:00') ORDER BY share DESC LIMIT 50. Times are UTC.

-- What do all hosts together spend their samples on?
CREATE OR REPLACE VIEW pcsample.share AS
WITH
	totals AS
	(
		SELECT host, toFloat64(sum(samples)) AS host_n
		FROM pcsample.ledger FINAL
		WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
		GROUP BY host
		HAVING host_n > 0
	),
	sums AS (SELECT count() AS m, sum(host_n) AS n, sum(host_n * host_n) AS nn FROM totals),
	by_host AS
	(
		SELECT object, function, host, toFloat64(sum(samples)) AS host_x
		FROM
		(
			SELECT host, key, samples
			FROM pcsample.samples FINAL
			WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
		) AS s
		INNER JOIN (SELECT * FROM pcsample.functions FINAL) AS f USING key
		GROUP BY object, function, host
	),
	moments AS
	(
		SELECT object, function, count() AS seen_on, sum(host_x) AS x,
			sum(host_x * host_x) AS xx, sum(host_x * host_n) AS xn
		FROM by_host
		INNER JOIN totals USING host
		GROUP BY object, function
	)
SELECT
	object,
	function,
	x / n AS share,
	pcsample_bound(share, pcsample_variance(m, x, n, xx, xn, nn), m, -1) AS low,
	pcsample_bound(share, pcsample_variance(m, x, n, xx, xn, nn), m, 1) AS high,
	toUInt64(x) AS samples,
	seen_on,
	m AS hosts
FROM moments
CROSS JOIN sums;

-- The same of one function, hour by hour, for as long as moments are kept
CREATE OR REPLACE VIEW pcsample.trend AS
SELECT
	hour,
	x / n AS share,
	pcsample_bound(share, pcsample_variance(hosts, x, n, xx, xn, nn), hosts, -1) AS low,
	pcsample_bound(share, pcsample_variance(hosts, x, n, xx, xn, nn), hosts, 1) AS high,
	hosts
FROM pcsample.moments FINAL
WHERE object = {object:String} AND function = {function:String}
	AND hour >= {from:DateTime('UTC')} AND hour < {to:DateTime('UTC')};

-- Which functions of an object take a larger or smaller share with another build of it?
--
-- Of a host count the minutes in which it ran just one of the two: hosts may run the old build, the
-- new one, or one after the other. q is p corrected for the number of functions by Benjamini and
-- Hochberg: of those with q < 0.01, at most 1 % are expected to be chance. A share is one of all
-- samples of the host, so that a large function that grows makes all others smaller.
CREATE OR REPLACE VIEW pcsample.regressions AS
WITH
	keys AS
	(
		SELECT key, function, build_id = {new:String} AS is_new
		FROM pcsample.functions FINAL
		WHERE object = {object:String} AND build_id IN ({old:String}, {new:String})
	),
	counts AS
	(
		SELECT host, start, is_new, function, sum(samples) AS samples
		FROM
		(
			SELECT host, start, key, samples
			FROM pcsample.samples FINAL
			WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
		) AS s
		INNER JOIN keys USING key
		GROUP BY host, start, is_new, function
	),
	minutes AS
	(
		SELECT host, start, any(counts.is_new) AS is_new
		FROM counts
		GROUP BY host, start
		HAVING uniqExact(counts.is_new) = 1
	),
	totals AS
	(
		SELECT host, is_new, toFloat64(sum(samples)) AS host_n
		FROM
		(
			SELECT host, start, samples
			FROM pcsample.ledger FINAL
			WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
		) AS l
		INNER JOIN minutes USING (host, start)
		GROUP BY host, is_new
	),
	sums AS
	(
		SELECT
			countIf(NOT is_new) AS old_m, countIf(is_new) AS new_m,
			sumIf(host_n, NOT is_new) AS old_n, sumIf(host_n, is_new) AS new_n,
			sumIf(host_n * host_n, NOT is_new) AS old_nn,
			sumIf(host_n * host_n, is_new) AS new_nn
		FROM totals
	),
	by_host AS
	(
		SELECT host, is_new, function, toFloat64(sum(samples)) AS host_x
		FROM counts
		WHERE (host, start) IN (SELECT host, start FROM minutes)
		GROUP BY host, is_new, function
	),
	moments AS
	(
		SELECT
			function,
			sumIf(host_x, NOT is_new) AS old_x, sumIf(host_x, is_new) AS new_x,
			sumIf(host_x * host_x, NOT is_new) AS old_xx,
			sumIf(host_x * host_x, is_new) AS new_xx,
			sumIf(host_x * host_n, NOT is_new) AS old_xn,
			sumIf(host_x * host_n, is_new) AS new_xn
		FROM by_host
		INNER JOIN totals USING (host, is_new)
		GROUP BY function
	),
	compared AS
	(
		SELECT
			function,
			old_x / old_n AS old_share,
			new_x / new_n AS new_share,
			old_m, new_m, old_x, new_x,
			-- Nothing seen is no proof of nothing: at least the variance of both builds'
			-- share
			(old_x + new_x) / (old_n + new_n) AS both,
			greatest(pcsample_variance(old_m, old_x, old_n, old_xx, old_xn, old_nn),
				 both * (1 - both) / old_n) AS old_v,
			greatest(pcsample_variance(new_m, new_x, new_n, new_xx, new_xn, new_nn),
				 both * (1 - both) / new_n) AS new_v,
			(new_share - old_share) / sqrt(old_v + new_v) AS t,
			-- Welch's
			(old_v + new_v) * (old_v + new_v) /
			(old_v * old_v / (old_m - 1) + new_v * new_v / (new_m - 1)) AS df,
			pcsample_p(t, df) AS p
		FROM moments
		CROSS JOIN sums
	),
	ranked AS
	(
		SELECT *, row_number() OVER (ORDER BY p) AS rank, count() OVER () AS functions
		FROM compared
	)
SELECT
	function,
	old_share,
	new_share,
	new_share / old_share AS ratio,
	new_share - old_share - pcsample_t975(df) * sqrt(old_v + new_v) AS difference_low,
	new_share - old_share + pcsample_t975(df) * sqrt(old_v + new_v) AS difference_high,
	t,
	p,
	least(1., min(p * functions / rank)
		OVER (ORDER BY rank DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) AS q,
	functions,
	toUInt64(old_x) AS old_samples,
	toUInt64(new_x) AS new_samples,
	old_m AS old_hosts,
	new_m AS new_hosts
FROM ranked;

-- Which hosts are unlike the others, and in what?
--
-- Twice the root of a count has a variance of 1 if samples are independent, whatever the count, and
-- more if hosts differ: t is the distance of a host from the others in their standard deviations,
-- which are taken without it (the studentized deleted residual). A host that has nothing of what
-- the others have is seen where they have 25 samples and more. q as of pcsample.regressions, for all
-- pairs of a host and a function.
CREATE OR REPLACE VIEW pcsample.deviating AS
WITH
	totals AS
	(
		SELECT host, any(ledger.hostname) AS hostname, toFloat64(sum(samples)) AS host_n
		FROM pcsample.ledger FINAL
		WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
		GROUP BY host
		HAVING host_n > 0
	),
	sums AS (SELECT count() AS m, sum(host_n) AS n FROM totals),
	by_host AS
	(
		SELECT object, function, host, toFloat64(sum(samples)) AS host_x
		FROM
		(
			SELECT host, key, samples
			FROM pcsample.samples FINAL
			WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
		) AS s
		INNER JOIN (SELECT * FROM pcsample.functions FINAL) AS f USING key
		GROUP BY object, function, host
	),
	roots AS
	(
		SELECT object, function, host, hostname, host_x, host_n, m, n,
			2 * sqrt(host_x / host_n * n / m) AS y
		FROM by_host
		INNER JOIN totals USING host
		CROSS JOIN sums
	),
	of_function AS
	(
		SELECT object, function, sum(host_x) AS x, sum(y) AS sum_y, sum(y * y) AS sum_yy
		FROM roots
		GROUP BY object, function
	),
	pairs AS
	(
		SELECT object, function, host, hostname, host_x, host_n, m, n, y FROM roots
		UNION ALL
		SELECT object, function, host, hostname, 0., host_n, m, n, 0.
		FROM of_function
		CROSS JOIN totals
		CROSS JOIN sums
		WHERE sum_y / m >= 10 AND (object, function, host) NOT IN (
			SELECT object, function, host FROM by_host)
	),
	compared AS
	(
		SELECT
			host, hostname, object, function, host_x, host_n, m,
			(x - host_x) / (n - host_n) AS elsewhere,
			(sum_y - y) / (m - 1) AS mean,
			sqrt(greatest(1., ((sum_yy - y * y) - (m - 1) * mean * mean) / (m - 2))) AS sd,
			(y - mean) / (sd * sqrt(1 + 1 / (m - 1))) AS t,
			pcsample_p(t, m - 2) AS p
		FROM pairs
		INNER JOIN of_function USING (object, function)
		WHERE m > 3
	),
	ranked AS
	(
		SELECT *, row_number() OVER (ORDER BY p) AS rank,
			m * (SELECT count() FROM of_function) AS comparisons
		FROM compared
	)
SELECT
	host,
	hostname,
	object,
	function,
	host_x / host_n AS share,
	elsewhere,
	t,
	least(1., min(p * comparisons / rank)
		OVER (ORDER BY rank DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) AS q,
	toUInt64(host_x) AS samples
FROM ranked;

-- What was lost, host by host?
--
-- Reads that were planned and gave no sample, by reason; samples that found no room in a buffer;
-- and time between the first minute and the last of which there is no file: its files were removed
-- to bound the disk, or nothing was recorded. unexplained is 0 for a driver that counts right.
CREATE OR REPLACE VIEW pcsample.lost AS
SELECT
	host,
	anyLast(hostname) AS name,
	sum(ledger.planned) AS planned,
	sum(ledger.samples) AS samples,
	sum(ledger.idle) AS idle,
	sum(ledger.filtered) AS filtered,
	sum(ledger.prohibited) AS prohibited,
	sum(ledger.debug) AS debug,
	sum(ledger.no_branch) AS no_branch,
	sum(ledger.error) AS error,
	sum(ledger.late) AS late,
	sum(ledger.preempted) AS preempted,
	sum(ledger.buffer_full) AS buffer_full,
	toInt64(planned) - toInt64(sumIf(ledger.samples, ledger.planned > 0) + idle + filtered +
		prohibited + debug + no_branch + error + late + preempted + buffer_full) AS unexplained,
	sum(ledger.lost) AS lost,
	sum(ledger.throttled) AS throttled,
	count() AS minutes,
	greatest(0, (toUnixTimestamp64Milli(max(start)) - toUnixTimestamp64Milli(min(start)) +
		toInt64(argMax(ms, start)) - toInt64(sum(ms))) / 1000) AS seconds_missing,
	min(start) AS first,
	max(start) AS last
FROM pcsample.ledger FINAL
WHERE start >= {from:DateTime('UTC')} AND start < {to:DateTime('UTC')}
GROUP BY host;

-- Which hosts sent something in the day before a time, and nothing in the last minutes before it?
CREATE OR REPLACE VIEW pcsample.silent AS
SELECT
	host,
	anyLast(hostname) AS name,
	max(start) AS last,
	dateDiff('minute', last, {at:DateTime('UTC')}) AS minutes_ago
FROM pcsample.ledger
WHERE start >= {at:DateTime('UTC')} - INTERVAL 1 DAY AND start < {at:DateTime('UTC')}
GROUP BY host
HAVING last < {at:DateTime('UTC')} - toIntervalMinute({minutes:UInt32});
