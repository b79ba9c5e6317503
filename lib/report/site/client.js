import { asCards, enliven } from '../html/client.js';

/** What `index.html` does for who reads it: filters, sorts and draws what `index.json` says. Its words stand in page.hbs. */

/**
 * @import { IndexedRun, ResultsIndex } from '../../types.d.ts'
 * @import { Model, Point } from '../charts/draw.js'
 */

/** @typedef {IndexedRun['loads'][number]} Load @typedef {IndexedRun['comparisons'][number]} Compared */

const ICONS = Object.freeze({ winner: '✅', 'at least': '✅', tie: '➖' });
const filters = /** @type {HTMLElement} */ (document.querySelector('.filters'));
const words = /** @type {Record<string, string>} */ (document.getElementById('words')?.dataset);

/** @returns {Record<string, string>} what is chosen, by filter; nothing of those that are left open */
function chosen() {
  const fields = /** @type {HTMLSelectElement[]} */ ([...filters.querySelectorAll('select, :checked[name]')]);
  return Object.fromEntries(fields.flatMap(({ name, value }) => (value === '' ? [] : [[name, value]])));
}

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
    const input = /** @type {any} */ (filters.querySelector(`[name="${CSS.escape(name)}"]`));
    if (input?.type === 'checkbox') input.checked = value === input.value;
    else if (input && [...input.options].some((o) => o.value === value)) input.value = value;
  }
}

/** Of the metrics, each with its title, unit and scale. */
const choices = /** @type {HTMLOptionElement[]} */ ([
  ...filters.querySelectorAll('[name=metric] option:not([value=""])'),
]);

/** @param {string} metric */
function choiceOf(metric) {
  return /** @type {HTMLOptionElement} */ (choices.find(({ value }) => value === metric));
}

/** @param {Load | undefined} load @param {string} metric @returns {Point | null} in the unit of its choice */
function figureOf(load, metric) {
  const found = load?.figures.find((f) => f.metric === metric);
  if (!found) return null;
  const scale = Number(choiceOf(metric).dataset.scale ?? 1);
  const [median, low, high] = [found.median, found.low, found.high].map((value) => value / scale);
  return { .../** @type {any} */ (found), median, low, high };
}

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
  const isHidden = !chosen().ours && run.systems.some((s) => !s.ours);
  const shown = run.systems.flatMap(({ id, ours }) => (ours && isHidden ? [] : [id]));
  return run.loads.filter((l) => l.workload === job && shown.includes(l.system));
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
 * @param {Element} into
 * @param {string} metric
 * @param {IndexedRun} run whose systems are drawn, as far as they have a point
 * @param {Load[][]} steps what was measured at each place, of each system
 * @param {Pick<Model, 'places'> & Partial<Model>} own of a chart; `title`: what follows the metric
 */
function draw(into, metric, run, steps, { title, ...own }) {
  const series = run.systems
    .map(({ id, name, color, shape }) => ({
      ...{ name, color, shape },
      points: steps.map((loads) =>
        figureOf(
          loads.find((l) => l.system === id),
          metric,
        ),
      ),
    }))
    .filter(({ points }) => points.some((point) => point !== null));
  if (series.length === 0) return;
  const { text, dataset } = choiceOf(metric);
  const unit = dataset.unit ?? '';
  const named = { title: [text, title].filter(Boolean).join(' '), unit, name: '' };
  const figure = document.createElement('figure');
  figure.setAttribute('aria-label', named.title);
  figure.innerHTML = '<div class="plot"></div>';
  into.append(figure);
  enliven(figure, { kind: 'lines', log: false, ...named, ...own, series });
}

/** @param {Element} into @param {string} metric @param {IndexedRun} run @param {Load[]} main @param {Load[]} all */
function drawRun(into, metric, run, main, all) {
  draw(into, metric, run, [main], { kind: 'bars', places: [loadText(main[0])] });
  const { operation, transport, depth } = main[0];
  const ladder = all.filter(
    (l) => l.operation === operation && l.transport === transport && l.depth === depth,
  );
  const users = [...new Set(ladder.map((l) => l.users))].sort((a, b) => a - b);
  const steps = users.map((n) => ladder.filter((l) => l.users === n));
  const own = { title: words.over, log: true, name: words.users, places: users };
  if (users.length > 1) for (const one of ['throughput', 'p99']) draw(into, one, run, steps, own);
}

/** @param {Element} into @param {string} metric @param {IndexedRun[]} runs newest first, of one machine @param {Load} like */
function drawHistory(into, metric, runs, like) {
  const isLike = (/** @type {Load} */ load) => keyOf(load) === keyOf(like) && figureOf(load, metric);
  const same = runs
    .map((run) => ({ run, loads: loadsOf(run, like.workload).filter(isLike) }))
    .filter(({ loads }) => loads.length > 0)
    .reverse();
  const newest = same.at(-1)?.run;
  if (!newest || same.length < 2) return;
  const steps = same.map(({ loads }) => loads);
  draw(into, metric, newest, steps, { title: words.history, places: same.map(({ run }) => run.date) });
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
 * @param {string} metric
 * @returns what the run of most systems says, the newest of these, of its main load and then of others; one of fewer than
 *   five trials, or under faults, only where there is no other; none where no run has the metric
 */
function answersOf(matching, job, metric) {
  const found = matching.flatMap((run) => {
    const loads = loadsOf(run, job);
    const known = mainLoads(loads, metric);
    return known.length > 0 ? [{ run, loads, known }] : [];
  });
  const isWhole = (/** @type {IndexedRun} */ run) => Number(run.trials >= 5 && run.question === 'ahead');
  const [first] = [...found].sort(
    ({ run: a }, { run: b }) => isWhole(b) - isWhole(a) || b.systems.length - a.systems.length,
  );
  return (first?.known ?? []).map((main) => {
    const answer = outcomeOf(first.run, main, metric);
    return { ...first, ...answer, main, metric, found };
  });
}

/** @param {ResultsIndex} index */
function show({ runs }) {
  const { system, machine, engine, job: only, metric: asked } = chosen();
  const matching = runs.filter(
    (r) =>
      r.machine === (machine ?? r.machine) &&
      r.engine === (engine ?? r.engine) &&
      (!system || r.systems.some((s) => s.id === system)),
  );
  const metrics = choices.flatMap(({ value }) => (value === (asked ?? value) ? [value] : []));
  const jobs = new Map(matching.flatMap((r) => r.workloads.map(({ id, title }) => [id, title])));
  const body = /** @type {HTMLTableElement} */ (document.getElementById('answers')).tBodies[0];
  const places = /** @type {HTMLElement} */ (document.getElementById('jobs'));
  body.replaceChildren();
  places.replaceChildren();
  for (const [job, title] of jobs) {
    if (job !== (only ?? job)) continue;
    const all = metrics.map((metric) => answersOf(matching, job, metric));
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
      ...[choiceOf(metric).text, titlesOf(others), loadText(main[0]), run.machine, linkTo(run)],
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
  if (body.rows.length === 0) places.textContent = words.none;
}

const index = await unpacked();
fromAddress();
show(index);
filters.addEventListener('input', () => {
  const address = new URLSearchParams(chosen());
  history.replaceState(null, '', address.size > 0 ? `?${address}` : location.pathname);
  show(index);
});
