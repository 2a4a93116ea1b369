-- SPDX-License-Identifier: GPL-2.0-only
-- Computes, fills a table, indexes it and groups it.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
SELECT sum(i * i % 7), max(i * 7919 % 65537) FROM n;
CREATE TABLE sample (cpu INTEGER, address INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO sample SELECT i % 8, i * 7919 % 65537 FROM n;
CREATE INDEX by_address ON sample (address);
SELECT cpu, count(*), max(address) FROM sample GROUP BY cpu ORDER BY 3;
