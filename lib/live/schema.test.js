import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../paths.js';
import { runTool } from '../process/tool.js';
import { dashboards } from './testing.js';

/** Grafana's own types of what its core panels take, from `@grafana/schema` of the version that the Compose file runs. */
const PANELS = join(ROOT, 'node_modules', '@grafana', 'schema', 'dist', 'esm', 'raw', 'composable');

/** Panel → its folder in the schema, the stem of its file there, and whether it has settings for each field. */
const TYPES = /** @type {Record<string, [string, string, boolean]>} */ ({
  stat: ['stat', 'StatPanelCfg', false],
  timeseries: ['timeseries', 'TimeSeriesPanelCfg', true],
  bargauge: ['bargauge', 'BarGaugePanelCfg', false],
  barchart: ['barchart', 'BarChartPanelCfg', true],
  table: ['table', 'TablePanelCfg', true],
});

// Inside the checkout, because that is where the compiler finds the package.
const folder = mkdtempSync(join(ROOT, 'node_modules', '.dashboards-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {any} board @returns {string} a TypeScript file that compiles only if Grafana knows every key and value */
function typed(board) {
  const { panels, templating, annotations, ...rest } = board;
  /** @type {string[]} */
  const lines = [
    "import type { AnnotationQuery, Dashboard, Panel, VariableModel } from '@grafana/schema';",
    // JSON has text where the types have enumerations.
    `type Text<T extends string> = \`\${T}\`;`,
    'type Of<T> = T extends object ? { [K in keyof T]?: Of<T[K]> } : T extends string ? T | Text<T> : T;',
    ...Object.entries(TYPES).map(
      ([name, [place, stem]]) =>
        `import type * as ${name} from '${join(PANELS, place, 'panelcfg', 'x', `${stem}_types.gen`)}';`,
    ),
  ];
  const is = (/** @type {string} */ type, /** @type {unknown} */ value) =>
    lines.push(`export const v${lines.length}: Of<${type}> = ${JSON.stringify(value)};`);
  is('Dashboard', rest);
  for (const variable of templating.list) is('VariableModel', variable);
  // The older form of an annotation's query, beside `target`, is outside the schema.
  for (const { name, enable, hide, iconColor, datasource } of annotations.list)
    is('AnnotationQuery', { name, enable, hide, iconColor, datasource });
  for (const { options, fieldConfig, ...panel } of panels.filter(
    (/** @type {any} */ p) => p.type !== 'row',
  )) {
    const { custom, ...defaults } = fieldConfig.defaults;
    is('Panel', panel);
    is("Panel['fieldConfig']", { ...fieldConfig, defaults });
    is(`${panel.type}.Options`, options);
    if (TYPES[panel.type][2]) is(`${panel.type}.FieldConfig`, custom);
    else assert.equal(custom, undefined, panel.title);
  }
  return lines.join('\n');
}

/** @param {string} file @param {any} board */
async function compile(file, board) {
  const path = join(folder, `${file}.ts`);
  writeFileSync(path, typed(board));
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  return runTool([join(ROOT, 'node_modules', '.bin', 'tsc'), ...flags, path]);
}

for (const { file, board } of dashboards()) {
  test(`${file}: Grafana's own types know everything in it`, async () => {
    const { ok, stdout } = await compile(file, board);
    assert.ok(ok, stdout);
  });
}

test('a setting that Grafana does not know, or a value that it does not take, is found', async () => {
  const { board } = dashboards()[0];
  const panel = board.panels.find((/** @type {any} */ p) => p.type === 'timeseries');
  panel.options.legend.displayMode = 'tabel';
  panel.fieldConfig.defaults.custom.lineWdth = 2;
  const { ok, stdout } = await compile('broken', board);
  assert.equal(ok, false);
  assert.match(stdout, /tabel/);
  assert.match(stdout, /lineWdth/);
});
