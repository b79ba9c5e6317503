import { operationsThat } from '../../../../k6/schedule/facts.js';
import { figureText, percent, ratioWithInterval } from '../../../format.js';
import { MIN_REPEATS } from '../../../judge/method.js';
import { combine, scaled } from '../../../record/figure.js';
import { ratioOf } from '../../../record/ratio.js';
import { itemOf, policyOf } from '../../words.js';
import { itemsOf, lifecycleFor, rowsFor, unstartedReason } from './rows.js';
import { storageShares } from './storage-bound.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Lifecycle } from '../../../record/lifecycle-figures.js'
 * @import { Deployment } from './section.js'
 */

/** From this share of its storage alone on, storage is what sets the pace of a system. */
const STORAGE_BOUND = 0.7;
/** Above this share of it a system does more than one transaction for each batch allows. */
const TOGETHER = 1.1;
/** From this share of the time on that a system spends in syncs, the disk is what sets its pace. */
const SYNC_BOUND = 0.7;

/**
 * What the table means: how near each system is to its storage alone, and what reached the live streams.
 * @param {Deployment} deployment
 * @param {(id: string) => string} title
 * @returns {string[]} Markdown list items
 */
export function deploymentFindings(deployment, title) {
  const { systems, main } = deployment;
  const rows = rowsFor(deployment, main);
  const lifecycle = lifecycleFor(deployment);
  return systems.flatMap((id, i) => [
    ...(sharesFinding(deployment, title(id), id) ??
      ceilingFinding(deployment, title(id), rows[i], lifecycle[i])),
    ...syncFinding(deployment, title(id), id),
    ...streamFinding(deployment, title(id), id),
  ]);
}

/**
 * @param {Deployment} deployment
 * @param {string} name
 * @param {string} id
 * @returns {string[] | null} null where the storage was measured with one size of transaction at most
 */
function sharesFinding(deployment, name, id) {
  const shares = storageShares(deployment, id);
  if (shares.length === 0) return null;
  const item = itemOf(deployment.facts);
  const texts = shares.map(
    (s) => `${ratioWithInterval(s.share)} (${s.perTransaction} ${item}s per transaction)`,
  );
  const why = shares.some((s) => s.share.estimate < STORAGE_BOUND)
    ? 'the server, not the storage, is the bottleneck'
    : 'the storage, not the server, is the bottleneck';
  return [
    `**${name}** runs at this share of its storage's own speed (${deployment.main}): ${texts.join(', ')}: ${why}.`,
  ];
}

/**
 * @param {Deployment} deployment
 * @param {string} name
 * @param {Row | undefined} row
 * @param {Lifecycle | undefined} lifecycle
 * @returns {string[]}
 */
function ceilingFinding({ main, facts, dataset }, name, row, lifecycle) {
  const items = itemsOf(facts.operations[main]?.items, dataset);
  const share = ratioOf(scaled(row?.ratePerSec, items), lifecycle?.storagePerSec);
  if (!share) return [];
  const why =
    share.estimate > TOGETHER
      ? 'it commits several requests at once (group commit), the storage alone one by one'
      : share.estimate >= STORAGE_BOUND
        ? 'the storage, not the server, is the bottleneck'
        : 'the server, not the storage, is the bottleneck';
  return [
    `**${name}** runs at ${ratioWithInterval(share)} of its storage's own speed (${main}, one transaction per batch): ${why}.`,
  ];
}

/**
 * @param {Deployment} deployment
 * @param {string} name
 * @param {string} id
 * @returns {string[]}
 */
function syncFinding({ syscalls, main, first }, name, id) {
  const row = syscalls.find((r) => r.system === id && r.operation === main);
  const share = row?.syncs?.timeRatio;
  if (!first || !share) return [];
  const why = share.median >= SYNC_BOUND ? 'the disk is the bottleneck' : 'the disk is not the bottleneck';
  return [
    `**${name}** spent ${figureText(share, percent)} of the time in syncs while they were counted: ${why}.`,
  ];
}

/**
 * @param {Deployment} deployment
 * @param {string} name
 * @param {string} id
 * @returns {string[]}
 */
function streamFinding(deployment, name, id) {
  const { facts, dataset, rows, stepId } = deployment;
  const rowOf = (/** @type {string | undefined} */ op) =>
    rows.find((r) => r.system === id && r.step.id === stepId && r.operation === op);
  return operationsThat(facts, (o) => o.received).flatMap((op) => {
    const { operations } = facts;
    const row = rowOf(op);
    if (!row?.serviceMs.mean) return [];
    const clients = dataset[operations[op].users ?? ''] ?? 1;
    const [source] = operationsThat(facts, (o) => o.items && o.window === operations[op].window);
    const sent = rowOf(source);
    const items = itemsOf(operations[source]?.items, dataset) * clients;
    const share = combine([row.completed, sent?.completed], (count, all) => count / (all * items));
    const known = share ? figureText(share, percent) : `an unknown share (${source}: ${sent?.failure})`;
    const { p50, p99 } = row.serviceMs;
    return [
      `**${name}**, ${op}: ${clients} clients of the live stream received ${known} of the ${itemOf(facts)}s acknowledged in the same window; from sending to receiving p50 ${figureText(p50)} ms, p99 ${figureText(p99)} ms.`,
    ];
  });
}

/**
 * The conditions of the table, from what was done and not from what was meant.
 * @param {Deployment} deployment
 * @returns {string[]} Markdown list items
 */
export function deploymentCaveats(deployment) {
  const { plan, facts, dataset, rows, stepId, systems, soaked, syscalls, first, meanings } = deployment;
  const own = plan.systems.filter((s) => systems.includes(s.id));
  const mixed = operationsThat(facts, (o) => facts.windows?.[o.window ?? '']?.order === 'together');
  const ranMixed = rows.some((r) => r.step.id === stepId && mixed.includes(r.operation));
  const companions = Object.entries(facts.operations).flatMap(([op, { users }]) =>
    users ? [`${dataset[users]} for ${op}`] : [],
  );
  const promises = own.map(({ id, title, durability }) => ({
    title,
    policy: policyOf(plan, { system: id, parity: rows.find((r) => r.system === id)?.parity ?? {} }),
    meaning: meanings.get(id) ?? durability.meaning,
  }));
  const [promise] = promises;
  const unstarted = unstartedReason(deployment);
  const lifecycle = lifecycleFor(deployment).filter((l) => l?.status === 'ok');
  const beside = ranMixed
    ? `Without "mixed" in its name an operation ran alone; the mix had users of its own (${companions.join(', ')}).`
    : 'No clients of a live stream and no queries beside the load.';
  if (!first) return [beside];
  return [
    plan.repeats < MIN_REPEATS
      ? `${plan.repeats} of the ${MIN_REPEATS} repeats that a ranking needs: no change is marked.`
      : `${plan.repeats} interleaved repeats; a change in bold lies with its whole interval outside ±5 %.`,
    promises.every((p) => p.policy === promise.policy)
      ? `Durability of both sides alike, ${promise.policy}: ${promise.meaning}.`
      : `Durability differs: ${promises.map((p) => `${p.title} ${p.policy}`).join(', ')}.`,
    ...(unstarted ? [`${unstarted[0].toUpperCase()}${unstarted.slice(1)}.`] : []),
    beside,
    soaked
      ? 'A soak was run: see below.'
      : 'No soak was run: slow leaks are not shown (the profile `soak` shows them).',
    ...(lifecycle.length > 0
      ? [
          'Start-up: from starting the built server itself, on fresh data, to its first right answer; its files are in the page cache.',
        ]
      : []),
    ...(syscalls.some((r) => r.syncs)
      ? [
          'Syncs were counted in a short run of their own, under a tracer that makes each take longer: commits can be grouped more than without it.',
        ]
      : []),
  ];
}
