import { asCards, enliven } from '../html/client.js';

/** What `index.html` does for who reads it: filters, sorts and draws what `index.json` says. Its words stand in page.hbs. */

/**
 * @import { IndexedRun, ResultsIndex } from '../../types.d.ts'
 * @import { Model, Point } from '../charts/draw.js'
 */

/** @typedef {IndexedRun['loads'][number]} Load */

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
  const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById('data'));
  const bytes = Uint8Array.from(atob(String(content.textContent)), (c) => c.charCodeAt(0));
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

/** @param {IndexedRun} run @returns {boolean} whether it has no product */
function isOurs({ systems }) {
  return systems.every((s) => s.ours);
}

/** @param {IndexedRun} run @returns {IndexedRun['systems']} that are to be shown */
function shownOf(run) {
  return run.systems.filter((s) => chosen().ours || isOurs(run) || !s.ours);
}

/** @param {Load | undefined} load @param {string} metric @param {string} system @returns {Point | null} in the unit of its choice */
function figureOf(load, metric, system) {
  const found = load?.metrics[metric]?.figures[system];
  if (!found) return null;
  const scale = Number(choiceOf(metric).dataset.scale ?? 1);
  const [median, low, high] = [found.median, found.low, found.high].map((value) => value / scale);
  return { ...found, median, low, high };
}

/**
 * @param {IndexedRun} run
 * @param {string} job
 * @param {string} metric
 * @returns {Load[]} that have it, of a system that is shown: first what most systems were measured at, and of that the one of
 *   most users
 */
function loadsOf(run, job, metric) {
  const sizeOf = (/** @type {Load} */ load) =>
    shownOf(run).filter(({ id }) => figureOf(load, metric, id)).length;
  const loads = run.loads.filter((load) => load.workload === job && sizeOf(load) > 0);
  return loads.sort((a, b) => sizeOf(b) - sizeOf(a));
}

/** @param {Load} a @param {Load} b @param {(keyof Load)[]} keys */
function isLike(a, b, keys) {
  return keys.every((key) => a[key] === b[key]);
}

/** @param {Load} load */
function loadText({ operation, transport, users, depth }) {
  return `${operation} (${transport}), ${users} ${words.users}${depth > 1 ? ` × ${words.pipeline} ${depth}` : ''}`;
}

/**
 * @param {Element} into
 * @param {string} metric
 * @param {IndexedRun} run whose systems are drawn, as far as they have a point
 * @param {(Load | undefined)[]} steps what was measured at each place
 * @param {Pick<Model, 'places'> & Partial<Model>} own of a chart; `title`: what follows the metric
 */
function draw(into, metric, run, steps, { title, ...own }) {
  const series = shownOf(run)
    .map((s) => ({ ...s, points: steps.map((load) => figureOf(load, metric, s.id)) }))
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

/** @param {Element} into @param {string} metric @param {IndexedRun} run @param {Load} main */
function drawRun(into, metric, run, main) {
  draw(into, metric, run, [main], { kind: 'bars', places: [loadText(main)] });
  const ladder = run.loads.filter((l) => isLike(l, main, ['workload', 'transport', 'operation', 'depth']));
  const users = [...new Set(ladder.map((l) => l.users))].sort((a, b) => a - b);
  const steps = users.map((n) => ladder.find((l) => l.users === n));
  const own = { title: words.over, log: true, name: words.users, places: users };
  if (users.length > 1) for (const one of ['throughput', 'p99']) draw(into, one, run, steps, own);
}

/** @param {Element} into @param {string} metric @param {IndexedRun[]} runs newest first, of one machine @param {Load} like */
function drawHistory(into, metric, runs, like) {
  const same = runs
    .flatMap((run) => loadsOf(run, like.workload, metric).map((load) => ({ run, load })))
    .filter(({ load }) => isLike(load, like, ['transport', 'step', 'operation']))
    .reverse();
  const newest = same.at(-1)?.run;
  if (!newest || same.length < 2) return;
  const steps = same.map(({ load }) => load);
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
    const loads = loadsOf(run, job, metric);
    return loads.length > 0 ? [{ run, loads }] : [];
  });
  const isWhole = (/** @type {IndexedRun} */ run) => Number(run.trials >= 5 && run.question === 'ahead');
  const [first] = [...found].sort(
    ({ run: a }, { run: b }) => isWhole(b) - isWhole(a) || b.systems.length - a.systems.length,
  );
  return (first?.loads ?? []).map((main) => ({ ...first, ...main.metrics[metric], metric, main, found }));
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
  const told = [...jobs].flatMap(([job, title]) => {
    const all = job === (only ?? job) ? metrics.map((metric) => answersOf(matching, job, metric)) : [];
    const answers = [...all.flatMap((own) => own.slice(0, 1)), ...all.flat()];
    const answer = answers.find(({ outcome }) => outcome in ICONS) ?? answers[0];
    return answer ? [{ title, answer }] : [];
  });
  const body = /** @type {HTMLTableElement} */ (document.getElementById('answers')).tBodies[0];
  const places = /** @type {HTMLElement} */ (document.getElementById('jobs'));
  for (const old of [body, places]) old.replaceChildren();
  // What compares no products stands last.
  told.sort((a, b) => Number(isOurs(a.answer.run)) - Number(isOurs(b.answer.run)));
  for (const { title, answer } of told) {
    const { metric, found, run, main, outcome, winners, factors, interval, others } = answer;
    const row = body.insertRow();
    const titlesOf = (/** @type {string[]} */ ids) =>
      ids.map((id) => run.systems.find((s) => s.id === id)?.title ?? id).join(', ');
    const cells = [
      isOurs(run) ? `${title} (${words.ours})` : title,
      ...[`${Reflect.get(ICONS, outcome) ?? '❔'} ${outcome}`, titlesOf(winners)],
      factors.length > 0
        ? `${factors.join('–')}× (${interval.join('–')}) ${choiceOf(metric).dataset.than}`
        : '',
      ...[choiceOf(metric).text, titlesOf(others), loadText(main), run.machine, linkTo(run)],
    ];
    for (const cell of cells) row.insertCell().append(cell);
    const { content } = /** @type {HTMLTemplateElement} */ (document.getElementById('job'));
    const part = /** @type {DocumentFragment} */ (content.cloneNode(true));
    const where = ` · ${run.machine} · ${run.engine} · ${run.trials} ${words.repeats}`;
    /** @type {Element} */ (part.querySelector('h2')).textContent = title;
    /** @type {Element} */ (part.querySelector('.where')).append(linkTo(run), where);
    const charts = /** @type {Element} */ (part.querySelector('.charts'));
    drawRun(charts, metric, run, main);
    const alike = found.map((f) => f.run).filter((r) => r.machine === run.machine && r.engine === run.engine);
    drawHistory(charts, metric, alike, main);
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
