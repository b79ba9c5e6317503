import {
  duration,
  MISSING,
  mebibytes,
  milliseconds,
  percent,
  ratioWithInterval,
  significant,
} from '../format.js';
import { LIMITS } from '../judge/judge.js';
import { PARITY_KEYS } from '../judge/parity.js';
import { REASONS } from '../judge/verdict.js';
import { EQUIVALENCE, MIN_REPEATS } from '../stats/compare.js';
import { pairedRatio } from '../stats/summary.js';
import { answersOf, groupBy, stepText } from './answers.js';
import { chartsOf } from './charts.js';
import { comparisonsOf } from './comparisons.js';
import { rowsOf } from './rows.js';

/**
 * @import { CellRecord, Comparison, Plan } from '../types.d.ts'
 * @import { Row } from './rows.js'
 */

/**
 * Everything that a report says, as text: the templates only loop and place. Pure.
 * @param {{plan: Plan, environment: any, records: CellRecord[]}} run
 * @returns {any} the view model; see templates/report.hbs
 */
export function viewOf({ plan, environment, records }) {
  const place = (/** @type {CellRecord} */ r) => plan.systems.findIndex((s) => s.id === r.system);
  // The order of the tables is that of the plan, not the one in which the repeats happened to run.
  const measured = records.filter((r) => r.role === 'system').sort((a, b) => place(a) - place(b));
  const rows = rowsOf(measured);
  const comparisons = comparisonsOf(rows, plan.profile.seed);
  const charts = chartsOf(plan, rows);
  const planned = plan.blocks.filter((b) => b.role === 'system').reduce((n, b) => n + b.cells.length, 0);
  const finished = measured.filter((r) => r.status !== 'aborted').length;
  return {
    title: titleOf(plan, environment),
    profileTitle: plan.profile.title,
    answers: answersOf(plan, rows, comparisons),
    partial: finished < planned ? { done: finished, planned, runId: plan.runId } : null,
    summary: summaryRows(plan, rows),
    charts,
    workloads: groupBy(
      rows.filter((r) => r.operation !== ''),
      (r) => `${r.workload}\n${r.transport}`,
    ).map((own) => workloadView(plan, own, comparisons, charts)),
    cost: rows.filter((r) => r.step.model === 'closed' && r.usable > 0).map((r) => costRow(plan, r)),
    resources: groupBy(
      measured.filter((r) => r.status === 'ok'),
      (r) => `${r.system}\n${r.step.id}`,
    ).map((cells) => resourceRow(plan, cells)),
    ceilings: ceilingRows(plan, records),
    observer: observerView(plan, records),
    oracle: oracleView(plan, measured),
    durability: plan.systems
      .filter((s) => s.role === 'system')
      .map((s) => ({ ...s.durability, title: s.title })),
    conditions: conditionsOf(plan, environment, measured),
    systems: plan.systems.map((s) => systemRow(s, records)),
    method: methodOf(plan),
    notShown: notShown(plan, records, rows),
    files: records.length,
    verdicts: verdictCounts(measured),
  };
}

/**
 * @param {Plan} plan
 * @param {any} environment
 */
function titleOf(plan, environment) {
  const day = plan.runId.slice(0, 10);
  return `${plan.profileId} · ${day} · ${plan.engine}, ${plan.hostCores} cores, ${environment.host.os}`;
}

/**
 * The best rung of each system on each operation that may be quoted, else the best that may not.
 * @param {Plan} plan
 * @param {Row[]} rows
 */
function summaryRows(plan, rows) {
  const closed = rows.filter((r) => r.step.model === 'closed' || r.operation === '');
  return groupBy(closed, (r) => [r.workload, r.operation, r.system].join('\n')).map((own) => {
    const rate = (/** @type {Row} */ r) => r.ratePerSec?.estimate ?? 0;
    const valid = own.filter((r) => r.status === 'VALID');
    const best = [...(valid.length > 0 ? valid : own)].sort((a, b) => rate(b) - rate(a))[0];
    return {
      workload: best.workload,
      operation: best.operation || MISSING,
      system: best.title,
      rung: stepText(plan, best.step.id),
      rate: rateText(best),
      p99: best.serviceMs ? significant(best.serviceMs.p99) : MISSING,
      errors: best.ratePerSec ? percent(best.errors / Math.max(1, best.errors + best.count)) : MISSING,
      cpu: significant(best.systemCpuUsPerOp),
      durability: plan.systems.find((s) => s.id === best.system)?.durability.policy ?? MISSING,
      verdict: verdictText(best),
    };
  });
}

/**
 * @param {Row} row
 * @returns {string} a figure that may be quoted, a lower bound, or why there is none
 */
function rateText(row) {
  if (!row.ratePerSec) return `n/a: ${row.failure}`;
  const bound = row.codes.includes('generator_bound') ? '≥ ' : '';
  return `${bound}${significant(row.ratePerSec.estimate)}`;
}

/**
 * @param {Row} row
 * @returns {string} `VALID`, `VALID 4/5`, `generator-bound`, `INVALID: …`
 */
function verdictText(row) {
  const n = row.cells.length;
  const share = row.usable < n && row.usable > 0 ? ` (${row.usable} of ${n} repeats)` : '';
  if (row.status === 'VALID') return `valid${share}`;
  if (row.status === 'DEGRADED') {
    const degraded = row.codes.filter((c) => REASONS[c].status === 'DEGRADED');
    return `${degraded.map((c) => c.replaceAll('_', '-')).join(', ')}${share}`;
  }
  return `${row.status.toLowerCase()}: ${row.failure}`;
}

/**
 * @param {Plan} plan
 * @param {Row[]} own rows of one workload and transport
 * @param {Comparison[]} comparisons
 * @param {import('./charts.js').Chart[]} charts
 */
function workloadView(plan, own, comparisons, charts) {
  const [{ workload, transport }] = own;
  const facts = plan.workloads.find((w) => w.id === workload);
  const mine = comparisons.filter((c) => c.workload === workload && c.transport === transport);
  const closed = own.filter((r) => r.step.model === 'closed');
  const open = own.filter((r) => r.step.model === 'open');
  return {
    title: facts?.title ?? workload,
    workload,
    transport,
    charts: charts.filter((c) => c.file.startsWith(`${workload}-${transport}-`)),
    steps: groupBy(closed, (r) => r.step.id).map((rows) => stepTable(plan, rows, mine)),
    ladders: groupBy(closed, (r) => r.operation).map((rows) => ({
      operation: rows[0].operation,
      rows: rows.map((r) => ladderRow(plan, r)),
    })),
    open: open.length > 0 ? { rows: open.map((r) => openRow(plan, r)) } : null,
    comparisons: mine.filter((c) => c.ratio !== null).map((c) => comparisonRow(plan, c)),
    refusals: refusalsOf(plan, mine),
  };
}

/**
 * One step, operations down and systems across, as benchmark pages of servers print it.
 * @param {Plan} plan
 * @param {Row[]} rows of one step
 * @param {Comparison[]} comparisons
 */
function stepTable(plan, rows, comparisons) {
  const systems = [...new Set(rows.map((r) => r.system))];
  const operations = [...new Set(rows.map((r) => r.operation))];
  const two = systems.length === 2;
  return {
    title: stepText(plan, rows[0].step.id),
    heads: systems.map((id) => rows.find((r) => r.system === id)?.title ?? id),
    ratioHead: two
      ? `${rows.find((r) => r.system === systems[0])?.title} / ${rows.find((r) => r.system === systems[1])?.title}`
      : null,
    rows: operations.map((operation) => {
      const comparison = comparisons.find((c) => c.stepId === rows[0].step.id && c.operation === operation);
      return {
        operation,
        rates: systems.map((id) => {
          const row = rows.find((r) => r.system === id && r.operation === operation);
          return row ? rateText(row) : MISSING;
        }),
        ratio: two
          ? comparison?.ratio
            ? ratioWithInterval(comparison.ratio, comparison.pairs)
            : (comparison?.why ?? MISSING)
          : null,
      };
    }),
  };
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function ladderRow(plan, row) {
  const s = row.serviceMs;
  const range =
    row.p99Range && row.cells.length > 1
      ? ` (${significant(row.p99Range.low)} – ${significant(row.p99Range.high)})`
      : '';
  const interval =
    row.ratePerSec && row.usable > 1
      ? `${significant(row.ratePerSec.low)} – ${significant(row.ratePerSec.high)}`
      : MISSING;
  return {
    system: row.title,
    rung: stepText(plan, row.step.id),
    rate: rateText(row),
    interval,
    p50: significant(s?.p50),
    p90: significant(s?.p90),
    p95: significant(s?.p95),
    p99: s ? `${significant(s.p99)}${range}` : MISSING,
    p999: significant(s?.p999),
    max: significant(s?.max),
    errors: row.ratePerSec ? String(row.errors) : MISSING,
    systemCpu: significant(row.systemCpuUsPerOp),
    generatorCpu: percent(row.generatorCpuRatio),
    verdict: verdictText(row),
  };
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function openRow(plan, row) {
  return {
    operation: row.operation,
    system: row.title,
    rung: stepText(plan, row.step.id),
    target: significant(row.targetPerSec),
    rate: rateText(row),
    p50: significant(row.serviceMs?.p50),
    p99: significant(row.serviceMs?.p99),
    response: significant(row.responseP99Ms),
    lag: significant(row.lagP99Ms),
    dropped: row.ratePerSec ? String(row.dropped) : MISSING,
    verdict: verdictText(row),
  };
}

/**
 * @param {Plan} plan
 * @param {Comparison} c
 */
function comparisonRow(plan, c) {
  const title = (/** @type {string} */ id) => plan.systems.find((s) => s.id === id)?.title ?? id;
  const words = {
    faster: `${title(c.a)} ahead`,
    slower: `${title(c.b)} ahead`,
    equivalent: 'no measurable difference (within ±5 %)',
    inconclusive: 'no measurable difference (inconclusive)',
    insufficient: `insufficient repeats (${c.why})`,
    refused: `not compared: ${c.why}`,
  };
  return {
    operation: c.operation,
    step: stepText(plan, c.stepId),
    pair: `${title(c.a)} / ${title(c.b)}`,
    ratio: ratioWithInterval(c.ratio, c.pairs),
    p99Ratio: ratioWithInterval(c.p99Ratio, c.pairs),
    pairs: c.pairs === 0 ? MISSING : String(c.pairs),
    verdict: words[c.verdict],
  };
}

/**
 * What was not compared, and why: one line for each reason.
 * @param {Plan} plan
 * @param {Comparison[]} comparisons
 * @returns {string[]}
 */
function refusalsOf(plan, comparisons) {
  const refused = comparisons.filter((c) => c.ratio === null);
  return groupBy(refused, (c) => c.why ?? '').map((same) => {
    const steps = [...new Set(same.map((c) => stepText(plan, c.stepId)))].join('; ');
    return `${same[0].why}: ${same.length} comparisons (${steps})`;
  });
}

/**
 * @param {Plan} plan
 * @param {Row} row
 */
function costRow(plan, row) {
  const middleOf = (/** @type {(c: CellRecord) => number | null | undefined} */ read) =>
    row.cells.map(read).filter((v) => v !== null && v !== undefined);
  const generator = middleOf((c) => c.operations[row.operation]?.generatorCpuUsPerOp).sort((a, b) => a - b);
  return {
    operation: row.operation,
    system: row.title,
    rung: stepText(plan, row.step.id),
    systemCpu: significant(row.systemCpuUsPerOp),
    generatorCpu: significant(generator[generator.length >> 1]),
  };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} cells repeats of one step of one system
 */
function resourceRow(plan, cells) {
  const of = (/** @type {(c: CellRecord) => number | null | undefined} */ read) => {
    const values = cells
      .map(read)
      .filter((v) => v !== null && v !== undefined)
      .sort((a, b) => a - b);
    return values.length > 0 ? values[values.length >> 1] : null;
  };
  return {
    system: cells[0].title,
    rung: stepText(plan, cells[0].step.id),
    cores: significant(of((c) => c.resources.system?.cpuCores)),
    generatorCores: significant(of((c) => c.resources.generator?.cpuCores)),
    rssSteady: mebibytes(of((c) => c.resources.system?.rssSteadyBytes)),
    rssPeak: mebibytes(of((c) => c.resources.system?.rssPeakBytes)),
    generatorRss: mebibytes(of((c) => c.resources.generator?.rssPeakBytes)),
    read: mebibytes(of((c) => c.resources.system?.ioReadBytes)),
    write: mebibytes(of((c) => c.resources.system?.ioWriteBytes)),
    threads: of((c) => c.resources.system?.threadsPeak) ?? MISSING,
    host: percent(of((c) => c.resources.host?.busyRatio)),
  };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} records
 */
function ceilingRows(plan, records) {
  return records
    .filter((r) => r.role === 'calibration')
    .flatMap((r) =>
      Object.entries(r.operations).map(([operation, o]) => ({
        transport: r.transport,
        operation,
        rung: stepText(plan, r.step.id),
        rate: r.status === 'ok' ? significant(o.ratePerSec) : `n/a: ${r.reason}`,
        generatorCpu: significant(o.generatorCpuUsPerOp),
      })),
    );
}

/**
 * What the live outputs cost the generator, from pairs with and without them.
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @returns {{rate: string, cpu: string, pairs: number} | null} ratios on / off
 */
function observerView(plan, records) {
  const own = records.filter((r) => r.role === 'observer' && r.status === 'ok');
  const pairs = own
    .filter((r) => r.step.id === 'telemetry-on')
    .flatMap((on) => {
      const off = own.find((r) => r.step.id === 'telemetry-off' && r.repeat === on.repeat);
      return off
        ? Object.keys(on.operations).map((op) => ({ on: on.operations[op], off: off.operations[op] }))
        : [];
    });
  const ratioOf = (/** @type {'ratePerSec' | 'generatorCpuUsPerOp'} */ key) => {
    const usable = pairs.flatMap(({ on, off }) =>
      on[key] && off?.[key] ? [{ a: on[key], b: off[key] }] : [],
    );
    return usable.length > 0 ? ratioWithInterval(pairedRatio(usable, plan.profile.seed)) : MISSING;
  };
  if (pairs.length === 0) return null;
  return { rate: ratioOf('ratePerSec'), cpu: ratioOf('generatorCpuUsPerOp'), pairs: pairs.length };
}

/**
 * @param {Plan} plan
 * @param {CellRecord[]} measured
 */
function oracleView(plan, measured) {
  return plan.systems
    .filter((s) => s.role === 'system')
    .map((s) => {
      const checked = measured.filter((r) => r.system === s.id && r.oracle !== null);
      const sum = (/** @type {'acked' | 'stored' | 'indeterminate'} */ key) =>
        checked.reduce((n, r) => n + (r.oracle?.[key] ?? 0), 0);
      const missing = checked.reduce(
        (n, r) => n + Math.max(0, (r.oracle?.acked ?? 0) - (r.oracle?.stored ?? 0)),
        0,
      );
      return {
        title: s.title,
        cells: checked.length,
        agreed: checked.filter((r) => r.oracle?.ok).length,
        acked: sum('acked'),
        stored: sum('stored'),
        indeterminate: sum('indeterminate'),
        missing,
      };
    });
}

/**
 * @param {Plan} plan
 * @param {any} environment
 * @param {CellRecord[]} measured
 * @returns {{name: string, value: string}[]}
 */
function conditionsOf(plan, environment, measured) {
  const { host, git, tools } = environment;
  const cgroup = `${host.cgroup.version}, cpu ${host.cgroup.cpu ?? 'unlimited'}, memory ${host.cgroup.memory ?? 'unlimited'}`;
  const influx = measured.some((r) => r.live !== null);
  const lossy = measured.filter((r) => r.live?.lossy).length;
  return [
    ['engine', plan.engine],
    ['host', `${host.os}, ${host.kernel}`],
    ['processor', `${host.cpuModel}, ${host.cores} cores, ${host.usableCpus} usable`],
    ['memory', `${mebibytes(host.memoryBytes)} MiB`],
    ['frequency governor', host.governor ?? 'not reported'],
    ['transparent huge pages', host.transparentHugePages ?? 'not reported'],
    ['control group', cgroup],
    ['load before', `${host.loadAverage1m} (1 min average)`],
    ['steal since boot', percent(host.stealRatioSinceBoot)],
    [
      'fsync of 4 KiB on the data disk',
      host.fsync
        ? `median ${milliseconds(host.fsync.medianMs)}, max ${milliseconds(host.fsync.maxMs)}`
        : 'not writable',
    ],
    [
      'generator',
      `${tools.k6?.[0] ?? 'unknown'}, on the same ${plan.hostCores} cores as the systems${plan.options.generatorCpus ? `, held to ${plan.options.generatorCpus} CPU` : ''}`,
    ],
    [
      'live view',
      influx
        ? `InfluxDB through the aggregating output, ${lossy === 0 ? 'no point lost' : `lossy in ${lossy} cells`}`
        : 'no InfluxDB',
    ],
    ['Node.js', tools.node],
    [
      'revision',
      git.sha ? `${git.sha.slice(0, 12)}${git.dirty ? ', with uncommitted changes' : ''}` : 'no git checkout',
    ],
    ['method version', String(plan.methodVersion)],
    ['measured', `${environment.takenAt.slice(0, 16).replace('T', ' ')} UTC`],
  ].map(([name, value]) => ({ name, value }));
}

/**
 * @param {Plan['systems'][number]} system
 * @param {CellRecord[]} records
 */
function systemRow(system, records) {
  const own = records.find((r) => r.system === system.id && r.version !== null);
  return {
    title: system.title,
    id: system.id,
    origin: system.role === 'calibration' ? 'calibration' : system.origin,
    version: own?.version ?? 'not reported',
    how: system.provenance || system.engine,
    knobs:
      Object.entries(system.knobs)
        .map(([k, v]) => `${k} ${v}`)
        .join(', ') || MISSING,
    meaning: system.durability.meaning,
  };
}

/**
 * @param {Plan} plan
 * @returns {string[]} Markdown list items
 */
function methodOf(plan) {
  const { profile } = plan;
  return [
    `Closed model unless a table says otherwise: each virtual user holds one connection and sends its next operation, or pipeline of operations, when the last is answered. Times are service times, from send to answer.`,
    `Every operation of a step has a window of its own, one after another; warm-up (${significant(profile.warmupSec)} s a step) comes before and is not counted. An answer that comes after its window's end is not counted either.`,
    `${plan.repeats} ${plan.repeats === 1 ? 'repeat' : 'repeats'} on fresh state, one system up at a time, order interleaved (ABBA from a seeded shuffle, seed ${plan.orderSeed}); the same seeded keys for each system.`,
    `Figures are medians of the repeats; intervals are 95 % bootstrap intervals. Percentiles come from one histogram for each window (three significant digits) and are never averaged.`,
    `A ratio needs equal parity keys (${PARITY_KEYS.join(', ')}), valid figures on both sides and at least ${MIN_REPEATS} repeats before a winner is named; "ahead" means that the whole interval lies outside ±${EQUIVALENCE * 100} %.`,
    `A figure above ${LIMITS.ceilingShare * 100} % of what the generator reaches against the null responder is printed as "≥" and takes no part in a ranking.`,
    `Gates: generator CPU ≤ ${LIMITS.generatorCpuRatio * 100} % of its cores, Little's law within ${LIMITS.littlesLaw * 100} %, errors ≤ ${percent(profile.thresholds.errorRatio ?? 0)}, state after load equal to what was acknowledged; open model: schedule lag p99 ≤ ${LIMITS.scheduleLagMs} ms, dropped ≤ ${percent(LIMITS.droppedRatio)}.`,
  ];
}

/**
 * What a reader may not take from this page, from the verdicts and from what was left out.
 * @param {Plan} plan
 * @param {CellRecord[]} records
 * @param {Row[]} rows
 * @returns {string[]} Markdown list items
 */
function notShown(plan, records, rows) {
  const items = [];
  const codes = [...new Set(rows.flatMap((r) => r.codes))].sort();
  for (const code of codes) {
    const hit = rows.filter((r) => r.codes.includes(code)).length;
    items.push(`**${code.replaceAll('_', '-')}** (${hit} of ${rows.length} rows): ${REASONS[code].text}.`);
  }
  for (const record of records.filter((r) => r.status !== 'ok')) {
    items.push(`\`${record.cell}\` ${record.status}: ${record.reason}.${tailText(record)}`);
  }
  for (const { system, reason } of plan.absent) items.push(`\`${system}\` was not measured: ${reason}.`);
  if (plan.repeats < MIN_REPEATS) {
    items.push(
      `${plan.repeats} of the ${MIN_REPEATS} repeats that a ranking needs: run again with \`--repeats ${MIN_REPEATS}\`.`,
    );
  }
  if (plan.engine === 'native') {
    items.push(
      'Generator and system share one host and its loopback: no network was crossed, and each takes CPU from the other.',
    );
  }
  if (!plan.profile.steps.some((s) => s.model === 'open')) {
    items.push(
      'No open-model step in this profile: the response time under a given arrival rate, queueing included, is not shown (the profile `load` has it).',
    );
  }
  items.push('Durability was declared, not tested: no process was killed to count lost acknowledgements.');
  return items;
}

/** @param {CellRecord} record */
function tailText(record) {
  return record.logTail.length > 0
    ? ` Last log line: \`${record.logTail[record.logTail.length - 1].replaceAll('`', "'")}\``
    : '';
}

/** @param {CellRecord[]} measured */
function verdictCounts(measured) {
  const count = (/** @type {(r: CellRecord) => boolean} */ test) => measured.filter(test).length;
  return {
    valid: count((r) => r.status === 'ok' && r.verdict.status === 'VALID'),
    degraded: count((r) => r.status === 'ok' && r.verdict.status === 'DEGRADED'),
    invalid: count((r) => r.status === 'ok' && r.verdict.status === 'INVALID'),
    failed: count((r) => r.status !== 'ok'),
    total: measured.length,
    duration: duration(measured.reduce((s, r) => s + (r.durationMs ?? 0), 0) / 1000),
  };
}
