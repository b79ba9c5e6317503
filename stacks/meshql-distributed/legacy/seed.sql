-- Rows for the legacy tables, the same each time. psql -v scale=N makes N times as many; by default 3 farms, 4 coops,
-- 7 hens, 4 containers, 3 consumers, 8 lay reports, 4 deposits, 2 withdrawals, 2 transfers and 3 consumptions.
-- Events are newer than what they refer to, and each container receives more than it gives.
\if :{?scale}
\else
\set scale 1
\endif

BEGIN;

INSERT INTO zfarm_mstr (werks, bukrs, farm_nm, farm_typ_cd, zone_cd, eigr, ernam, erdat, erzet)
SELECT lpad((1000 + n)::text, 4, '0'), '0001', 'Hof ' || n, substr('MLH', (n - 1) % 3 + 1, 1),
  (ARRAY['north', 'south', 'east', 'west'])[(n - 1) % 4 + 1],
  CASE WHEN n % 3 = 0 THEN NULL ELSE 'Owner ' || n END, 'SEED', '20260101', '080000'
FROM generate_series(1, 3 * :scale) n;

INSERT INTO zstall_mstr (stall_nr, stall_nm, werks, kapzt, stall_typ_cd, ernam, erdat, erzet)
SELECT 'ST' || lpad(n::text, 8, '0'), 'Stall ' || n, lpad((1001 + (n - 1) % (3 * :scale))::text, 4, '0'),
  20 + n % 30, substr('FCB', (n - 1) % 3 + 1, 1), 'SEED', '20260101', '080000'
FROM generate_series(1, 4 * :scale) n;

INSERT INTO zequi_hen (equnr, henne_nm, stall_nr, rasse_cd, geb_dt, stat_cd, ernam, erdat, erzet)
SELECT lpad(n::text, 18, '0'), 'Henne ' || n, 'ST' || lpad((1 + (n - 1) % (4 * :scale))::text, 8, '0'),
  (ARRAY['RIR', 'LEG', 'PLY', 'SUS', 'ORG'])[(n - 1) % 5 + 1],
  to_char(DATE '2024-01-01' + n % 700, 'YYYYMMDD'), substr('AARD', (n - 1) % 4 + 1, 1), 'SEED', '20260101', '080000'
FROM generate_series(1, 7 * :scale) n;

INSERT INTO zbehaelt_mstr (behaelt_nr, behaelt_nm, behaelt_typ_cd, kapzt, zone_cd, lgort, ernam, erdat, erzet)
SELECT 'BH' || lpad(n::text, 8, '0'), 'Behaelter ' || n, substr('WSF', (n - 1) % 3 + 1, 1), 500,
  (ARRAY['north', 'south', 'east', 'west'])[(n - 1) % 4 + 1], '0001', 'SEED', '20260101', '080000'
FROM generate_series(1, 4 * :scale) n;

INSERT INTO zkunde_vbr (kunnr, kund_nm, vbr_typ_cd, zone_cd, woch_bedarf, ernam, erdat, erzet)
SELECT lpad(n::text, 10, '0'), 'Kunde ' || n, substr('HRB', (n - 1) % 3 + 1, 1),
  (ARRAY['north', 'south', 'east', 'west'])[(n - 1) % 4 + 1], 10 * n, 'SEED', '20260101', '080000'
FROM generate_series(1, 3 * :scale) n;

INSERT INTO zafru_lege (aufnr, equnr, werks, ei_menge, erfas_dt, erfas_zt, qual_cd, ernam, erdat, erzet)
SELECT lpad(n::text, 12, '0'), hen.equnr, coop.werks, 1 + n % 5, '20260115', lpad((60000 + n % 60)::text, 6, '0'),
  substr('ABCD', (n - 1) % 4 + 1, 1), 'SEED', '20260115', '200000'
FROM generate_series(1, 8 * :scale) n
JOIN zequi_hen hen ON hen.equnr = lpad((1 + (n - 1) % (7 * :scale))::text, 18, '0')
JOIN zstall_mstr coop USING (stall_nr);

INSERT INTO zmseg_101 (mblnr, mjahr, behaelt_nr, quell_typ_cd, ei_menge, budat, cputm, ernam, erdat, erzet)
SELECT '49' || lpad(n::text, 8, '0'), '2026', 'BH' || lpad(n::text, 8, '0'), substr('FT', (n - 1) % 2 + 1, 1),
  100 + n % 50, '20260116', '070000', 'SEED', '20260116', '200000'
FROM generate_series(1, 4 * :scale) n;

INSERT INTO zmseg_201 (mblnr, mjahr, behaelt_nr, grund_cd, ei_menge, budat, cputm, ernam, erdat, erzet)
SELECT '50' || lpad(n::text, 8, '0'), '2026', 'BH' || lpad(n::text, 8, '0'), substr('SBQ', (n - 1) % 3 + 1, 1),
  1 + n % 9, '20260117', NULL, 'SEED', '20260117', '200000'
FROM generate_series(1, 2 * :scale) n;

INSERT INTO zmseg_301 (mblnr, mjahr, quell_beh_nr, ziel_beh_nr, trans_cd, ei_menge, budat, cputm, ernam, erdat, erzet)
SELECT '51' || lpad(n::text, 8, '0'), '2026', 'BH' || lpad(n::text, 8, '0'), 'BH' || lpad((2 * :scale + n)::text, 8, '0'),
  substr('TVK', (n - 1) % 3 + 1, 1), 10 + n % 10, '20260118', '090000', 'SEED', '20260118', '200000'
FROM generate_series(1, 2 * :scale) n;

INSERT INTO zmseg_261 (mblnr, mjahr, kunnr, behaelt_nr, zweck_cd, ei_menge, budat, cputm, ernam, erdat, erzet)
SELECT '52' || lpad(n::text, 8, '0'), '2026', lpad(n::text, 10, '0'), 'BH' || lpad(n::text, 8, '0'),
  substr('KBWR', (n - 1) % 4 + 1, 1), 5 + n % 10, '20260119', '120000', 'SEED', '20260119', '200000'
FROM generate_series(1, 3 * :scale) n;

COMMIT;
