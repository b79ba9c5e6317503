import { asCards, enliven } from '../html/client.js';

/** What `index.html` does for who reads it: filters, sorts and draws what `index.json` says. Its words stand in page.hbs. */

/**
 * @import { IndexedRun, ResultsIndex } from '../../types.d.ts'
 * @import { Model, Series } from '../charts/draw.js'
 */

/** @typedef {IndexedRun['loads'][number]} Load @typedef {IndexedRun['comparisons'][number]} Compared */

const ICONS = Object.freeze({ winner: '✅', 'at least': '✅', tie: '➖' });
const filters = /** @type {HTMLElement} */ (document.querySelector('.filters'));
const words = /** @type {HTMLElement} */ (document.getElementById('words')).dataset;
const field = (/** @type {string} */ name) => /** @type {any} */ (filters.querySelector(`[name=${name}]`));

/** @returns {Promise<ResultsIndex>} what stands in the page, packed */
async function unpacked() {
  const packed = String(
    /** @type {HTMLTemplateElement} */ (document.getElementById('data')).content.textContent,
  );
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

/** Filters are part of the address, so that a view can be sent to somebody. */
function fromAddress() {
  for (const [name, value] of new URLSearchParams(location.search)) {
    // Names of an address are anybody's.
    const input = /^[a-z]+$/.test(name) ? field(name) : null;
    if (input?.type === 'checkbox') input.checked = value === '1';
    else if (input && [...input.options].some((/** @type {HTMLOptionElement} */ o) => o.value === value))
      input.value = value;
  }
}

function toAddress() {
  const chosen = new URLSearchParams();
  for (const name of ['job', 'system', 'machine', 'engine', 'metric'])
    if (field(name).value !== '' && field(name).selectedIndex > 0) chosen.set(name, field(name).value);
  if (field('ours').checked) chosen.set('ours', '1');
  history.replaceState(null, '', chosen.size > 0 ? `?${chosen}` : location.pathname);
}

/** @typedef {{name: string, title: string, unit: string, scale: number}} Metric as its choice has it */

/** @returns {Metric[]} the one that is chosen, or all of which the first that decides is taken */
function metricsNow() {
  const options = /** @type {HTMLOptionElement[]} */ ([...field('metric').options]);
  return options
    .filter((o) => o.value !== '' && (field('metric').value === '' || o.selected))
    .map(({ value, text, dataset: { unit = '', scale = 1 } }) => ({
      ...{ name: value, title: text, unit, scale: Number(scale) },
    }));
}

/** @param {Load} load @param {string} metric */
const figureOf = ({ figures }, metric) => figures.find((f) => f.metric === metric);

/** @param {Load | Compared} one @returns {string} the same for both systems of a load */
const keyOf = ({ workload, transport, step, operation }) => [workload, transport, step, operation].join('\n');

/** @param {Load} load */
function loadText({ operation, transport, users, depth }) {
  return `${operation} (${transport}), ${users} ${words.users}${depth > 1 ? ` × ${words.pipeline} ${depth}` : ''}`;
}

/**
 * @param {IndexedRun} run
 * @param {string} job
 * @returns {Load[]} of the systems that are to be shown
 */
function loadsOf(run, job) {
  const hidden = run.systems.filter(
    (s) => s.ours && run.systems.some((o) => !o.ours) && !field('ours').checked,
  );
  return run.loads.filter((l) => l.workload === job && !hidden.some((s) => s.id === l.system));
}

/**
 * The loads that a job may be judged by, the first before all: what most systems were measured at, and of that the one of
 * most users.
 * @param {Load[]} loads
 * @param {string} metric
 * @returns {Load[][]} each of each system
 */
function mainLoads(loads, metric) {
  const known = loads.filter((l) => figureOf(l, metric));
  const groups = [...new Set(known.map(keyOf))].map((key) => known.filter((l) => keyOf(l) === key));
  const weight = (/** @type {Load[]} */ g) => g.length * 1e9 + g[0].users * g[0].depth;
  return groups.sort((a, b) => weight(b) - weight(a));
}

/**
 * @param {IndexedRun} run
 * @param {Load[]} loads of one key
 * @param {string} metric
 */
function outcomeOf(run, loads, metric) {
  const products = run.systems.filter((s) => !s.ours).map((s) => s.id);
  const racing = loads.map((l) => l.system).filter((id) => products.length === 0 || products.includes(id));
  const own = run.comparisons.filter(
    (c) =>
      keyOf(c) === keyOf(loads[0]) && c.metric === metric && racing.includes(c.a) && racing.includes(c.b),
  );
  const won = own.filter((c) => c.winner !== null);
  const beaten = new Set(won.map((c) => (c.winner === c.a ? c.b : c.a)));
  const winners = [...new Set(won.map((c) => c.winner))].filter((id) => !beaten.has(String(id)));
  const factors = won.flatMap((c) => (winners.includes(c.winner) && c.factor ? [c.factor] : []));
  const outcome = won[0]?.outcome ?? own[0]?.outcome ?? '';
  return { outcome, winners, factors, others: racing.filter((id) => !winners.includes(id)) };
}

/**
 * @param {IndexedRun} run
 * @param {Load[][]} places of a chart: what was measured at each, of each system
 * @param {string} metric
 * @param {number} [scale]
 * @returns {Series[]} of the systems that have a point
 */
function seriesOf(run, places, metric, scale = 1) {
  const pointOf = (/** @type {Load | undefined} */ load) => {
    const found = load && figureOf(load, metric);
    if (!found) return null;
    const { median, low, high, rankable } = found;
    const bound = /** @type {'lower' | 'upper' | null} */ (found.bound);
    return { median: median / scale, low: low / scale, high: high / scale, rankable, bound };
  };
  return run.systems
    .map(({ id, name, color, shape }) => ({
      ...{ name, color, shape },
      points: places.map((loads) => pointOf(loads.find((l) => l.system === id))),
    }))
    .filter(({ points }) => points.some((point) => point !== null));
}

/** @param {Element} into @param {Pick<Model, 'title' | 'unit' | 'places' | 'series'> & Partial<Model>} own of a chart */
function draw(into, own) {
  if (own.series.length === 0) return;
  const model = { kind: /** @type {const} */ ('lines'), log: false, name: '', ...own };
  const figure = document.createElement('figure');
  figure.setAttribute('aria-label', model.title);
  figure.innerHTML = '<div class="plot"></div>';
  into.append(figure);
  enliven(figure, model);
}

/** @param {Element} into @param {Metric} metric @param {IndexedRun} run @param {Load[]} main @param {Load[]} all */
function drawRun(into, { name, title, unit, scale }, run, main, all) {
  const series = seriesOf(run, [main], name, scale);
  draw(into, { kind: 'bars', title, unit, places: [loadText(main[0])], series });
  const { operation, transport, depth } = main[0];
  const ladder = all.filter(
    (l) => l.operation === operation && l.transport === transport && l.depth === depth,
  );
  const users = [...new Set(ladder.map((l) => l.users))].sort((a, b) => a - b);
  const steps = users.map((n) => ladder.filter((l) => l.users === n));
  if (users.length < 2) return;
  for (const metric of /** @type {const} */ (['throughput', 'p99']))
    draw(into, {
      ...{ title: `${words[metric]} ${words.over}`, unit: String(words[metric]).split(', ')[1] },
      ...{ log: true, name: String(words.users), places: users, series: seriesOf(run, steps, metric) },
    });
}

/** @param {Element} into @param {Metric} metric @param {IndexedRun[]} runs newest first, of one machine @param {Load} like */
function drawHistory(into, { name, title, unit, scale }, runs, like) {
  const same = runs
    .map((run) => ({
      run,
      loads: loadsOf(run, like.workload).filter((l) => keyOf(l) === keyOf(like) && figureOf(l, name)),
    }))
    .filter(({ loads }) => loads.length > 0)
    .reverse();
  if (same.length < 2) return;
  const [{ run: newest }] = same.slice(-1);
  draw(into, {
    ...{ title: `${title} ${words.history}`, unit },
    places: same.map(({ run }) => run.date),
    series: seriesOf(
      newest,
      same.map(({ loads }) => loads),
      name,
      scale,
    ),
  });
}

/** @param {IndexedRun} run */
function linkTo(run) {
  const link = document.createElement('a');
  link.href = `./${encodeURIComponent(run.run)}/report.html`;
  link.textContent = run.date;
  return link;
}

/**
 * @param {IndexedRun[]} matching newest first
 * @param {string} job
 * @param {Metric} metric
 * @returns what the run of most systems says, the newest of these, of its main load and then of others; one of fewer than
 *   five trials, or under faults, only where there is no other; none where no run has the metric
 */
function answersOf(matching, job, metric) {
  const found = matching.flatMap((run) => {
    const loads = loadsOf(run, job);
    const known = mainLoads(loads, metric.name);
    return known.length > 0 ? [{ run, loads, known }] : [];
  });
  const isWhole = (/** @type {IndexedRun} */ run) => Number(run.trials >= 5 && run.question === 'ahead');
  const [first] = [...found].sort(
    ({ run: a }, { run: b }) => isWhole(b) - isWhole(a) || b.systems.length - a.systems.length,
  );
  return (first?.known ?? []).map((main) => {
    const answer = outcomeOf(first.run, main, metric.name);
    return { ...first, ...answer, main, metric, found };
  });
}

/** @param {ResultsIndex} index */
function show({ runs }) {
  const [system, machine, engine, only] = ['system', 'machine', 'engine', 'job'].map((n) => field(n).value);
  const matching = runs.filter(
    (r) =>
      (machine === '' || r.machine === machine) &&
      (engine === '' || r.engine === engine) &&
      (system === '' || r.systems.some((s) => s.id === system)),
  );
  const jobs = new Map(matching.flatMap((r) => r.workloads.map(({ id, title }) => [id, title])));
  const body = /** @type {HTMLTableElement} */ (document.getElementById('answers')).tBodies[0];
  const places = /** @type {HTMLElement} */ (document.getElementById('jobs'));
  body.replaceChildren();
  places.replaceChildren();
  for (const [job, title] of jobs) {
    if (only !== '' && job !== only) continue;
    const all = metricsNow().map((metric) => answersOf(matching, job, metric));
    const answers = [...all.flatMap((own) => own.slice(0, 1)), ...all.flat()];
    const answer = answers.find(({ outcome }) => outcome in ICONS) ?? answers[0];
    if (!answer) continue;
    const { metric, found, run, loads, main, outcome, winners, factors, others } = answer;
    const [least, most] = [Math.min(...factors), Math.max(...factors)].map(
      (f) => `${Number(f.toPrecision(3))}×`,
    );
    const row = body.insertRow();
    const titlesOf = (/** @type {(string | null)[]} */ ids) =>
      ids.map((id) => run.systems.find((s) => s.id === id)?.title ?? id).join(', ');
    const cells = [
      ...[title, `${Reflect.get(ICONS, outcome) ?? '❔'} ${outcome || words.uncompared}`, titlesOf(winners)],
      factors.length === 0 ? '' : least === most ? least : `${least}–${most}`,
      ...[metric.title, titlesOf(others), loadText(main[0]), run.machine, linkTo(run)],
    ];
    for (const cell of cells) row.insertCell().append(cell);
    const part = /** @type {DocumentFragment} */ (
      /** @type {HTMLTemplateElement} */ (document.getElementById('job')).content.cloneNode(true)
    );
    /** @type {Element} */ (part.querySelector('h2')).textContent = title;
    /** @type {Element} */ (part.querySelector('.where')).append(
      ...[linkTo(run), ` · ${run.machine} · ${run.engine} · ${run.trials} ${words.repeats}`],
    );
    const charts = /** @type {Element} */ (part.querySelector('.charts'));
    drawRun(charts, metric, run, main, loads);
    const alike = found.map((f) => f.run).filter((r) => r.machine === run.machine && r.engine === run.engine);
    drawHistory(charts, metric, alike, main[0]);
    places.append(part);
  }
  asCards(/** @type {HTMLTableElement} */ (body.parentElement));
  if (body.rows.length === 0) places.textContent = String(words.none);
}

const index = await unpacked();
fromAddress();
show(index);
filters.addEventListener('input', () => {
  toAddress();
  show(index);
});
