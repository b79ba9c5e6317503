import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaProblems } from '../config/validate.js';
import { judge } from './judge.js';
import { RULES } from './rules.js';
import { aCell, reasonsIn } from './testing.js';

/**
 * @import { CellRecord, OperationResult, ReasonCode } from '../types.d.ts'
 * @typedef {{record: Partial<CellRecord>, result?: Partial<OperationResult>, parity?: Record<string, any>,
 *   script?: {main: string, untimed: string[], crossed: string[] | null}}} Kind
 */

/** @param {number} cpuCores */
const use = (cpuCores) => ({
  cpuSec: cpuCores * 10,
  cpuCores,
  rssPeakBytes: 1,
  rssSteadyBytes: 1,
  ioReadBytes: 0,
  ioWriteBytes: 0,
  threadsPeak: 1,
  processes: 1,
});
const host = { cores: 2, busyRatio: 0.5, stealRatio: 0 };
const seen = { system: use(0.6), generator: use(0.4), host };
const runners = { count: 3, on: /** @type {const} */ ('local'), startSkewMs: 2, missing: [], restarted: [] };

/** Each kind of run, with all that can be seen of it. @type {Record<string, Kind>} */
const KINDS = {
  native: { record: { resources: seen } },
  container: {
    record: { engine: 'docker', resources: seen },
    parity: { engine: 'docker', cpuLimit: 2, generatorCpus: 2 },
  },
  address: {
    record: { engine: 'external', resources: { ...seen, system: null }, idleCores: null },
    result: { busiest: { system: null, loop: 0.4 }, systemCpuUsPerOp: null },
  },
  script: {
    record: { engine: 'external', resources: { ...seen, system: null }, idleCores: null, oracle: null },
    result: { busiest: { system: null, loop: 0.4 }, systemCpuUsPerOp: null },
    script: { main: 'get', untimed: [], crossed: null },
  },
  'several generators': {
    record: {
      resources: seen,
      generators: { ...runners, busiest: { runner: 1, operation: 'get', cpuRatio: 0.4 } },
    },
  },
};

/** @param {Kind} kind @param {{record?: object, result?: object, parity?: object, none?: true}} [change] */
function judged({ record, result, parity, script }, change = {}) {
  const cell = aCell({
    record: { ...record, ...change.record },
    result: { ...result, ...change.result },
    parity: { ...parity, ...change.parity },
  });
  const { verdict, operations } = judge(
    { ...cell, operations: change.none ? {} : cell.operations },
    {
      thresholds: { errorRatio: 0.001, p99Ms: 1000 },
      restarted: false,
      ...(script ? { script } : {}),
    },
  );
  return { status: verdict.status, codes: verdict.reasons.map((r) => r.code), operations };
}

const full = { ...host, busyRatio: 0.99 };
const open = { id: 'open', model: /** @type {const} */ ('open'), vus: 100, durationSec: 10 };
const held = { parity: { generatorCpus: 0.2 }, result: { generatorCpuRatio: null } };
/** @param {object} resources */
const with_ =
  (resources) =>
  (/** @type {Kind} */ { record }) => ({
    record: { resources: { ...record.resources, ...resources } },
  });
const nothingOfThreads = () => ({ result: { busiest: undefined, generatorCpuRatio: null } });
const noSchedule = () => ({ record: { step: open } });

/**
 * What takes away what each rule looks at, of each kind of run that it is asked of.
 * @type {Partial<Record<ReasonCode, (kind: Kind) => Parameters<typeof judged>[1]>>}
 */
const BLIND = {
  generator_starved: () => held,
  littles_law: () => ({ result: { serviceMs: null } }),
  p99_threshold: () => ({ result: { serviceMs: null } }),
  too_few: () => ({ none: true }),
  clock_gap: with_({ host: null }),
  schedule_lag: noSchedule,
  schedule_exceeded: noSchedule,
  dropped: noSchedule,
  target_missed: noSchedule,
  set_by_client: nothingOfThreads,
  unattributed: nothingOfThreads,
  host_busy: with_({ host: full, system: null }),
  host_unseen: with_({ host: null }),
};

for (const [name, kind] of Object.entries(KINDS)) {
  test(`${name}: what was not seen never makes a figure better, rule by rule`, () => {
    assert.deepEqual(judged(kind).codes, [], 'seen whole it is VALID');
    for (const [rule, blind] of Object.entries(BLIND)) {
      const { status, codes } = judged(kind, blind(kind));
      const expected = RULES[/** @type {ReasonCode} */ (rule)].absence;
      assert.ok(expected && codes.includes(expected), `${rule}: ${codes}`);
      assert.ok(status === 'INVALID' || codes.some((c) => RULES[c].bound), `${rule}: ${status} ${codes}`);
    }
    if (!kind.script) assert.deepEqual(judged(kind, { record: { oracle: null } }).codes, ['missing_metric']);
  });

  test(`${name}: no reading can be taken away from a doubtful figure so that it is VALID`, () => {
    const shares = [0.1, 0.45, 0.6, 0.85, 0.97];
    for (const busyRatio of [0.4, 0.85, 0.95, 1])
      for (const system of shares)
        for (const loop of shares) {
          const had = kind.record.resources?.system ? { system: use(system) } : {};
          const change = {
            record: {
              resources: {
                ...kind.record.resources,
                ...{ ...had, generator: use(loop), host: { ...host, busyRatio } },
              },
            },
            result: {
              generatorCpuRatio: loop / 2,
              busiest: { system: kind.result ? null : system, loop },
              systemCpuUsPerOp: kind.result ? null : system * 10,
            },
          };
          const whole = judged(kind, change);
          if (whole.status === 'VALID') continue;
          const { resources } = change.record;
          const { busiest } = change.result;
          for (const [what, less] of Object.entries({
            host: { record: { resources: { ...resources, host: null } } },
            system: {
              record: { resources: { ...resources, system: null }, idleCores: null },
              result: { ...change.result, busiest: { ...busiest, system: null }, systemCpuUsPerOp: null },
            },
            generator: { record: { resources: { ...resources, generator: null } } },
            threads: { result: { ...change.result, busiest: undefined } },
            loop: { result: { ...change.result, busiest: { ...busiest, loop: null } } },
            'CPU of the generator': { result: { ...change.result, generatorCpuRatio: null } },
            idle: { record: { resources, idleCores: null } },
          })) {
            const { status } = judged(kind, { ...change, ...less });
            const said = `without ${what}: busy ${busyRatio}, system ${system}, loop ${loop}`;
            assert.notEqual(status, 'VALID', `${said}: ${whole.codes} before`);
          }
        }
  });
}

test('of several generators each one’s start and CPU is needed', () => {
  const { record } = KINDS['several generators'];
  const without = (/** @type {object} */ less) =>
    judged({ record: { ...record, generators: /** @type {any} */ ({ ...record.generators, ...less }) } })
      .codes;
  assert.deepEqual(without({ startSkewMs: null }), [RULES.start_skew.absence]);
  assert.deepEqual(without({ busiest: null }), [RULES.runner_saturated.absence]);
});

test('a soak of which something was not seen is unclear, and a fault without a target rate is no measurement', () => {
  assert.deepEqual(
    reasonsIn({ soak: /** @type {any} */ ({ verdict: 'unclear' }) }).map((r) => r.code),
    [RULES.leaking.absence],
  );
  for (const rule of /** @type {const} */ (['leaking', 'clinging', 'drifting']))
    assert.equal(RULES[rule].absence, 'soak_unclear');
  const chaos = /** @type {any} */ ({ beforePerSec: 100 });
  const codes = (/** @type {any} */ record) =>
    reasonsIn({ role: 'chaos', operations: {}, ...record }).map((r) => r.code);
  assert.deepEqual(codes({ chaos, parity: { targetPerSec: null } }), [RULES.target_missed.absence]);
  assert.deepEqual(codes({ chaos: null, parity: {} }), [RULES.target_missed.absence]);
});

test('every record has the evidence of each rule that defines no replacement for it', () => {
  const { generators } = KINDS['several generators'].record;
  const record = aCell({ record: { generators } });
  const without = (/** @type {any} */ from, /** @type {string} */ key) => {
    const { [key]: _, ...rest } = from;
    return rest;
  };
  assert.deepEqual(schemaProblems('result', record), []);
  for (const key of ['errors', 'count', 'dropped', 'aborted', 'durationMs'])
    assert.notDeepEqual(
      schemaProblems('result', { ...record, operations: { get: without(record.operations.get, key) } }),
      [],
      key,
    );
  for (const key of ['missing', 'restarted'])
    assert.notDeepEqual(
      schemaProblems('result', { ...record, generators: without(generators, key) }),
      [],
      key,
    );
});

test('an absence that stands in a rule’s place is as grave as the rule, or makes a bound', () => {
  for (const [rule, own] of Object.entries(RULES)) {
    if (own.absence === null) continue;
    const other = RULES[own.absence];
    assert.ok(
      other.status === 'INVALID' || other.bound || other.status === own.status,
      `${rule}: ${own.absence}`,
    );
  }
});
