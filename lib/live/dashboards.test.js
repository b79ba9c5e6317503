import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DATABASES, dashboards, fillIn, GRAFANA, queriesOf } from './testing.js';

/** Panels that every Grafana from 9.5 on has built in; none of them is an Angular one. */
const CORE = [
  'row',
  'timeseries',
  'stat',
  'bargauge',
  'barchart',
  'table',
  'heatmap',
  'state-timeline',
  'text',
];

/** Of Grafana's list of units, those that may be used here; `suffix:` is its way to write one of your own. */
const UNITS = /^(short|string|ops|ms|µs|bytes|binBps|percentunit|suffix: cores)$/;

/** Okabe and Ito's palette, which colour-blind readers tell apart, and grey. */
const COLOURS = ['#0072B2', '#56B4E9', '#E69F00', '#D55E00', '#7F7F7F', 'transparent'];

const boards = dashboards();

/** @param {any} value @param {(key: string, value: any) => void} visit */
function walk(value, visit) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    visit(key, inner);
    walk(inner, visit);
  }
}

test('there are the two dashboards, at their fixed addresses', () => {
  assert.deepEqual(boards.map((b) => [b.file, b.board.uid]).sort(), [
    ['compare.json', 'ladderbench-compare'],
    ['live-run.json', 'ladderbench-live'],
  ]);
});

for (const { file, board } of boards) {
  const panels = /** @type {any[]} */ (board.panels);
  const shown = panels.filter((p) => p.type !== 'row');

  test(`${file}: is read-only, refreshes itself and has the schema of its oldest Grafana`, () => {
    assert.equal(board.editable, false);
    assert.match(board.refresh, /^\d+s$/);
    assert.equal(board.schemaVersion, 38, 'Grafana migrates upwards only: that of 9.5');
    assert.ok(board.title && board.description);
    assert.ok(!('id' in board), 'a database id belongs to one Grafana');
  });

  test(`${file}: every panel is a core panel with title, description and unit`, () => {
    assert.equal(new Set(panels.map((p) => p.id)).size, panels.length, 'panel ids are unique');
    for (const panel of panels) assert.ok(CORE.includes(panel.type), `${panel.title}: ${panel.type}`);
    for (const panel of shown) {
      assert.ok(
        panel.title?.length > 0 && panel.description?.length > 20,
        `${panel.title}: ${panel.description}`,
      );
      assert.match(panel.fieldConfig.defaults.unit ?? '', UNITS, panel.title);
      for (const override of panel.fieldConfig.overrides)
        for (const p of override.properties) if (p.id === 'unit') assert.match(p.value, UNITS, panel.title);
    }
  });

  test(`${file}: panels fill rows of 24 columns without overlap, in the order of the story`, () => {
    /** @type {Map<string, string>} */
    const taken = new Map();
    for (const { title, gridPos: at } of panels) {
      assert.ok(at.x >= 0 && at.x + at.w <= 24 && at.w > 0 && at.h > 0, title);
      for (let x = at.x; x < at.x + at.w; x++)
        for (let y = at.y; y < at.y + at.h; y++) {
          assert.equal(taken.get(`${x},${y}`), undefined, `${title} lies on another panel`);
          taken.set(`${x},${y}`, title);
        }
    }
    const order = panels.map((p) => p.gridPos.y * 24 + p.gridPos.x);
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    );
    assert.equal(taken.size, 24 * Math.max(...panels.map((p) => p.gridPos.y + p.gridPos.h)), 'no hole');
  });

  test(`${file}: everything refers to a provisioned data source by its fixed uid`, () => {
    walk(board, (key, value) => {
      if (key !== 'datasource') return;
      assert.equal(value.type, 'influxdb');
      assert.ok(value.uid in DATABASES, value.uid);
    });
    for (const panel of shown) {
      assert.ok(panel.targets.length > 0);
      for (const t of panel.targets) assert.equal(t.datasource.uid, panel.datasource.uid, panel.title);
      assert.equal(new Set(panel.targets.map((/** @type {any} */ t) => t.refId)).size, panel.targets.length);
    }
  });

  test(`${file}: every query keeps to the time shown and to the chosen run, and uses known variables only`, () => {
    const names = board.templating.list.map((/** @type {any} */ v) => v.name);
    const values = Object.fromEntries(names.map((/** @type {string} */ n) => [n, 'x']));
    for (const { where, text, uid } of queriesOf(board)) {
      assert.doesNotMatch(fillIn(text, values), /\$\w/, where);
      assert.match(text, /\$timeFilter/, where);
      const scope = uid === 'ladderbench-cadvisor' ? /\$container\$/ : /\$(run|profile)\$/;
      assert.match(text, scope, where);
    }
    for (const variable of board.templating.list) {
      const before = names.slice(0, names.indexOf(variable.name));
      for (const [, used] of variable.query.matchAll(/\$(\w+)/g))
        assert.ok(
          before.includes(used),
          `$${variable.name} uses $${used}, which Grafana has not asked for yet`,
        );
    }
  });

  test(`${file}: legends name what the query groups by`, () => {
    for (const panel of shown)
      for (const { alias = '', query } of panel.targets)
        for (const [, tag] of alias.matchAll(/\$tag_(\w+)/g))
          assert.match(query, new RegExp(`GROUP BY .*"${tag}"`), panel.title);
  });

  test(`${file}: colours are told apart by colour-blind readers, and never by colour alone`, () => {
    walk(board, (key, value) => {
      if ((key === 'color' || key === 'fixedColor') && typeof value === 'string')
        assert.ok(COLOURS.includes(value), `${key}: ${value}`);
      if (key === 'mode' && typeof value === 'string')
        assert.doesNotMatch(value, /palette-classic|continuous/);
    });
    for (const panel of shown.filter((p) => p.type === 'timeseries'))
      assert.equal(panel.options.legend.showLegend, true, panel.title);
  });

  test(`${file}: annotations map their columns, in the old form and in the new one`, () => {
    assert.ok(board.annotations.list.length > 0);
    for (const a of board.annotations.list) {
      assert.equal(a.query, a.target.query);
      for (const column of ['textColumn', 'titleColumn', 'tagsColumn']) {
        assert.equal(a[column], a.target[column]);
        assert.match(a.query, new RegExp(`"${a[column]}"`));
      }
      assert.ok(a.target.fromAnnotations && a.target.rawQuery);
    }
  });
}

test('the live dashboard tells its story from top to bottom', () => {
  const rows = boards
    .find((b) => b.file === 'live-run.json')
    ?.board.panels.filter((/** @type {any} */ p) => p.type === 'row')
    .map((/** @type {any} */ p) => p.title);
  assert.deepEqual(rows, [
    'Is the load what was asked for?',
    'How does the system answer?',
    'What fails?',
    'What does it cost?',
    'Is the generator still honest?',
  ]);
});

test('the provisioned data sources have the uids and databases of the dashboards, and cannot be changed', () => {
  const text = readFileSync(join(GRAFANA, 'provisioning', 'datasources', 'influxdb.yml'), 'utf8');
  for (const [uid, database] of Object.entries(DATABASES))
    assert.match(text, new RegExp(`uid: ${uid}\\n[\\s\\S]*?dbName: ${database}\\n`));
  assert.doesNotMatch(text, /editable: true/);
  const provider = readFileSync(join(GRAFANA, 'provisioning', 'dashboards', 'ladderbench.yml'), 'utf8');
  assert.match(provider, /allowUiUpdates: false/);
  assert.match(provider, /path: \/var\/lib\/grafana\/dashboards/);
});
