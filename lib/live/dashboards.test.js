import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PALETTE } from '../config/colors.js';
import { loadStacks } from '../config/stacks.js';
import { ROOT } from '../paths.js';
import { BOUND } from './points.js';
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

/** What colour-blind readers tell apart, and greys. */
const COLORS = [...PALETTE, '#333333', '#7F7F7F', 'transparent'];

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
        assert.ok(COLORS.includes(value), `${key}: ${value}`);
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
    'Is the load generator within its limits?',
  ]);
});

test('the provisioned data sources have the uids and databases of the dashboards, and cannot be changed', () => {
  const text = readFileSync(join(GRAFANA, 'provisioning', 'datasources', 'influxdb.yml'), 'utf8');
  for (const [uid, database] of Object.entries(DATABASES))
    assert.match(text, new RegExp(`uid: ${uid}\\n[\\s\\S]*?dbName: ${database}\\n`));
  assert.equal(text.match(/^ {4}user: grafana\n {4}secureJsonData:\n {6}password: read-only$/gm)?.length, 2);
  const users = readFileSync(join(ROOT, 'stacks', '_shared', 'influxdb', 'databases.iql'), 'utf8');
  assert.match(users, /CREATE USER grafana WITH PASSWORD 'read-only';/);
  assert.doesNotMatch(users, /GRANT (ALL|WRITE)|ALL PRIVILEGES/);
  assert.doesNotMatch(text, /editable: true/);
  const provider = readFileSync(join(GRAFANA, 'provisioning', 'dashboards', 'ladderbench.yml'), 'utf8');
  assert.match(provider, /allowUiUpdates: false/);
  assert.match(provider, /path: \/var\/lib\/grafana\/dashboards/);
});

const [live, compare] = ['live-run.json', 'compare.json'].map(
  (file) => /** @type {any} */ (boards.find((b) => b.file === file)).board,
);
const panelOf = (/** @type {any} */ board, /** @type {number} */ id) =>
  board.panels.find((/** @type {any} */ p) => p.id === id);
const isLine = (/** @type {any} */ p) => p.type === 'timeseries';

test('a page that stays open shows the newest run: every run is chosen, and the time decides', () => {
  const run = live.templating.list.find((/** @type {any} */ v) => v.name === 'run');
  assert.deepEqual([run.includeAll, run.allValue, run.current.value], [true, '.*', '$__all']);
});

test('opening a page asks for its variables once: those that change with time are the containers alone', () => {
  assert.equal(live.refresh, '5s', 'a slower machine would abort its own queries');
  for (const { name, refresh, includeAll, allValue } of [
    ...live.templating.list,
    ...compare.templating.list,
  ]) {
    assert.equal(refresh, name === 'container' ? 2 : 1, name);
    if (includeAll && name !== 'container') assert.equal(allValue, '.*', `${name}: not a list of all values`);
  }
});

test('what is stale is not shown as if it were now, and nothing on record is not 0', () => {
  for (const id of [2, 3, 4, 7]) {
    const { title, timeFrom, hideTimeOverride } = panelOf(live, id);
    assert.deepEqual([timeFrom, hideTimeOverride], ['10s', true], title);
  }
  for (const id of [2, 3, 4, 5, 6, 7]) assert.equal(panelOf(live, id).fieldConfig.defaults.noValue, '–');
});

test('lines end where a cell ends', () => {
  for (const panel of live.panels.filter(isLine)) {
    const gaps = panel.fieldConfig.defaults.custom;
    for (const { query } of panel.targets)
      assert.ok(/fill\(null\)$/.test(query) || gaps.insertNulls === 5000, `${panel.title}: ${query}`);
  }
});

test('every system has one colour, another one than those that it is compared with, wherever it is a series', () => {
  const { stacks } = loadStacks();
  const systems = stacks.filter((s) => !s.id.startsWith('_'));
  const panels = [
    ...[9, 10, 11, 13, 18, 19, 20, 21, 24, 26].map((id) => panelOf(live, id)),
    ...[2, 3, 4, 5, 8, 9].map((id) => panelOf(compare, id)),
  ];
  for (const panel of panels) {
    const rules = panel.fieldConfig.overrides.filter((/** @type {any} */ o) => o.matcher.id === 'byRegexp');
    const colorOf = (/** @type {string} */ series) => {
      const own = rules.filter((/** @type {any} */ o) =>
        new RegExp(o.matcher.options.slice(1, -1)).test(series),
      );
      assert.equal(own.length, 1, `${panel.title}: ${series}`);
      return own[0].properties[0].value.fixedColor;
    };
    for (const { id, manifest } of systems) {
      assert.equal(colorOf(`p99 · ${id}`), colorOf(id));
      assert.equal(colorOf(`${id} · http · c10`), colorOf(id));
      const rivals = systems.filter(
        (s) => s.id !== id && Object.keys(s.manifest.workloads).some((w) => w in manifest.workloads),
      );
      for (const rival of rivals) assert.notEqual(colorOf(rival.id), colorOf(id), `${id}, ${rival.id}`);
    }
  }
});

test('of a container’s name the legend has what tells it from others', () => {
  const run = 'ladderbench-28533-3482722x4026531836-2026-11-28t18-40-09z-client-pattern';
  const services = loadStacks().stacks.flatMap((s) => s.manifest.docker?.service ?? []);
  const names = Object.fromEntries(
    services.flatMap((service) => [
      [`received · ${run}-side-s0-${service}-1`, `received · ${service} · container s0`],
      [`${run}-side-s2-${service}-1`, `${service} · container s2`],
      [`anonymous · ${run}-${service}-1`, `anonymous · ${service}`],
      [`${run}-${service}-1`, service],
    ]),
  );
  for (const id of [18, 19, 20])
    for (const [name, wanted] of Object.entries(names)) {
      const rename = (/** @type {string} */ text, /** @type {any} */ { options }) =>
        text.replace(new RegExp(options.regex), options.renamePattern);
      // JavaScript leaves out a group that is not there, as Grafana does.
      assert.equal(panelOf(live, id).transformations.reduce(rename, name), wanted);
    }
});

test('no legend has the id of a server that does nothing', () => {
  for (const panel of [...live.panels, ...compare.panels]) {
    const names = panel.targets?.some((/** @type {any} */ t) => t.alias?.includes('$tag_system'));
    if (!names) continue;
    const rename = (/** @type {string} */ name) =>
      (panel.transformations ?? []).reduce(
        (/** @type {string} */ text, /** @type {any} */ { options }) =>
          text.replace(new RegExp(options.regex), options.renamePattern),
        name,
      );
    assert.equal(rename('_null'), 'server that does nothing', panel.title);
    assert.equal(rename('p99 · _null-http'), 'p99 · server that does nothing', panel.title);
    assert.equal(rename('p99 · server'), 'p99 · server', panel.title);
  }
});

test('a bound is a pale bar of its system’s colour', () => {
  for (const id of [2, 3, 4, 5]) {
    const { title, targets, transformations, fieldConfig } = panelOf(compare, id);
    assert.match(targets[0].query, /GROUP BY "step","bar","transport"$/, title);
    assert.equal(transformations[1].options.columnField, 'bar', title);
    const rules = fieldConfig.overrides.filter((/** @type {any} */ o) => o.matcher.id === 'byRegexp');
    for (const { id: system } of loadStacks().stacks.filter((s) => !s.id.startsWith('_'))) {
      const fits = rules.filter((/** @type {any} */ o) =>
        new RegExp(o.matcher.options.slice(1, -1)).test(`${system}${BOUND}`),
      );
      const [color, pale] = fits.flatMap((/** @type {any} */ o) => o.properties);
      assert.equal(fits.length, 2, `${title}: ${system}`);
      assert.deepEqual([color.id, pale], ['color', { id: 'custom.fillOpacity', value: 20 }], title);
    }
  }
});

test('failures are told of each second: 0 is a sound load, and – none; a class of failures is named', () => {
  assert.doesNotMatch(panelOf(live, 5).targets[0].query, /class/);
  assert.match(panelOf(live, 15).targets[0].query, /"class" <> ''/);
  assert.equal(panelOf(live, 1).fieldConfig.defaults.noValue, 'no measurement in this time');
  assert.doesNotMatch(
    panelOf(live, 1).targets[0].query,
    /"kind"/,
    'a run that has ended still has its newest cell',
  );
});

test('cells are marked on the two large panels only', () => {
  for (const { filter } of live.annotations.list) assert.deepEqual(filter, { exclude: false, ids: [9, 13] });
});

test('bars and rows of unlike transports are never one', () => {
  assert.ok(compare.templating.list.some((/** @type {any} */ v) => v.name === 'transport' && !v.multi));
  for (const panel of compare.panels.filter((/** @type {any} */ p) => p.type !== 'row'))
    for (const { query } of panel.targets) {
      assert.match(query, /"transport" =~ \/\^\$transport\$\//, panel.title);
      assert.match(query, /GROUP BY .*"transport"/, panel.title);
    }
});

test('bars are named by their system and stand in the order of the users', () => {
  for (const id of [2, 3, 4, 5]) {
    const { title, fieldConfig, transformations, options } = panelOf(compare, id);
    assert.equal(fieldConfig.defaults.displayName, '${__field.name}', title);
    assert.deepEqual(transformations[0].options.sort, [{ field: 'vus' }], title);
    assert.equal(options.xTickLabelRotation, -30, title);
  }
});

test('the table begins with the verdict and its reason, in an order of its own', () => {
  const { indexByName } = panelOf(compare, 6).transformations[0].options;
  assert.deepEqual(Object.keys(indexByName).slice(0, 3), ['verdict', 'why', 'system']);
  const { query } = panelOf(compare, 6).targets[0];
  for (const [, column] of query.matchAll(/"(\w+)"[,\s]/g))
    if (column !== 'run_result')
      assert.ok(column in indexByName || /run|workload|engine|role/.test(column), column);
});

test('titles of the first row fit three columns of a small screen', () => {
  for (const panel of live.panels.filter((/** @type {any} */ p) => p.type === 'stat' && p.gridPos.w <= 3))
    assert.ok(panel.title.length <= 10, panel.title);
});

test('Grafana refuses what another page asks of it, lets whoever comes look only, and calls nobody at its start', () => {
  const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
  assert.deepEqual(text.match(/^ +GF_AUTH_ANONYMOUS_ORG_ROLE: .*$/gm), [
    '      GF_AUTH_ANONYMOUS_ORG_ROLE: Viewer',
  ]);
  assert.match(text, /^ +GF_AUTH_BASIC_ENABLED: 'false'$/m);
  assert.doesNotMatch(text, /VIEWERS_CAN_EDIT|GF_SECURITY_ADMIN|GF_AUTH_PROXY/);
  for (const name of ['GF_SECURITY_CSRF_ALWAYS_CHECK', 'GF_PLUGINS_PUBLIC_KEY_RETRIEVAL_DISABLED'])
    assert.match(text, new RegExp(`^ +${name}: 'true'$`, 'm'));
});
