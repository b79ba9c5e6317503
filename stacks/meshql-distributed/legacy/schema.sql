-- The legacy database: ten tables as an ERP system keeps them, codes and texts, without foreign keys.
-- Every table has the client (MANDT) in its key, and who made and changed a row, and when.

CREATE TABLE zfarm_mstr (
  mandt varchar(3) NOT NULL DEFAULT '100',
  werks varchar(4) NOT NULL,
  bukrs varchar(4),
  farm_nm varchar(60),
  farm_typ_cd varchar(1),
  zone_cd varchar(30),
  eigr varchar(60),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, werks)
);

CREATE TABLE zstall_mstr (
  mandt varchar(3) NOT NULL DEFAULT '100',
  stall_nr varchar(10) NOT NULL,
  stall_nm varchar(60),
  werks varchar(4),
  kapzt integer,
  stall_typ_cd varchar(1),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, stall_nr)
);

CREATE TABLE zequi_hen (
  mandt varchar(3) NOT NULL DEFAULT '100',
  equnr varchar(18) NOT NULL,
  henne_nm varchar(60),
  stall_nr varchar(10),
  rasse_cd varchar(3),
  geb_dt varchar(8),
  stat_cd varchar(1),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, equnr)
);

CREATE TABLE zbehaelt_mstr (
  mandt varchar(3) NOT NULL DEFAULT '100',
  behaelt_nr varchar(10) NOT NULL,
  behaelt_nm varchar(60),
  behaelt_typ_cd varchar(1),
  kapzt integer,
  zone_cd varchar(30),
  lgort varchar(4),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, behaelt_nr)
);

CREATE TABLE zkunde_vbr (
  mandt varchar(3) NOT NULL DEFAULT '100',
  kunnr varchar(10) NOT NULL,
  kund_nm varchar(60),
  vbr_typ_cd varchar(1),
  zone_cd varchar(30),
  woch_bedarf integer,
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, kunnr)
);

-- Confirmations of laying.
CREATE TABLE zafru_lege (
  mandt varchar(3) NOT NULL DEFAULT '100',
  aufnr varchar(12) NOT NULL,
  equnr varchar(18),
  werks varchar(4),
  ei_menge integer,
  erfas_dt varchar(8),
  erfas_zt varchar(6),
  qual_cd varchar(1),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, aufnr)
);

-- Material documents, by type of movement: 101 receipt, 201 issue, 301 transfer, 261 consumption.
CREATE TABLE zmseg_101 (
  mandt varchar(3) NOT NULL DEFAULT '100',
  mblnr varchar(10) NOT NULL,
  mjahr varchar(4) NOT NULL,
  behaelt_nr varchar(10),
  quell_typ_cd varchar(1),
  ei_menge integer,
  budat varchar(8),
  cputm varchar(6),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, mblnr, mjahr)
);

CREATE TABLE zmseg_201 (
  mandt varchar(3) NOT NULL DEFAULT '100',
  mblnr varchar(10) NOT NULL,
  mjahr varchar(4) NOT NULL,
  behaelt_nr varchar(10),
  grund_cd varchar(1),
  ei_menge integer,
  budat varchar(8),
  cputm varchar(6),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, mblnr, mjahr)
);

CREATE TABLE zmseg_301 (
  mandt varchar(3) NOT NULL DEFAULT '100',
  mblnr varchar(10) NOT NULL,
  mjahr varchar(4) NOT NULL,
  quell_beh_nr varchar(10),
  ziel_beh_nr varchar(10),
  trans_cd varchar(1),
  ei_menge integer,
  budat varchar(8),
  cputm varchar(6),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, mblnr, mjahr)
);

CREATE TABLE zmseg_261 (
  mandt varchar(3) NOT NULL DEFAULT '100',
  mblnr varchar(10) NOT NULL,
  mjahr varchar(4) NOT NULL,
  kunnr varchar(10),
  behaelt_nr varchar(10),
  zweck_cd varchar(1),
  ei_menge integer,
  budat varchar(8),
  cputm varchar(6),
  ernam varchar(12), erdat varchar(8), erzet varchar(6),
  aenam varchar(12), aedat varchar(8), aezet varchar(6),
  PRIMARY KEY (mandt, mblnr, mjahr)
);

-- A delete carries the whole row, and so does the state before a change.
ALTER TABLE zfarm_mstr REPLICA IDENTITY FULL;
ALTER TABLE zstall_mstr REPLICA IDENTITY FULL;
ALTER TABLE zequi_hen REPLICA IDENTITY FULL;
ALTER TABLE zbehaelt_mstr REPLICA IDENTITY FULL;
ALTER TABLE zkunde_vbr REPLICA IDENTITY FULL;
ALTER TABLE zafru_lege REPLICA IDENTITY FULL;
ALTER TABLE zmseg_101 REPLICA IDENTITY FULL;
ALTER TABLE zmseg_201 REPLICA IDENTITY FULL;
ALTER TABLE zmseg_301 REPLICA IDENTITY FULL;
ALTER TABLE zmseg_261 REPLICA IDENTITY FULL;

CREATE PUBLICATION sap_pub FOR TABLE
  zfarm_mstr, zstall_mstr, zequi_hen, zbehaelt_mstr, zkunde_vbr,
  zafru_lege, zmseg_101, zmseg_201, zmseg_301, zmseg_261;
