import { drawChart } from '../charts/draw.js';

/** What `report.html` does for who reads it: its text stands in the page, where it finds charts and tables ready. */

/** @import { Model } from '../charts/draw.js' */

const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
document.body.append(tip);

/** @param {Element} point */
function showTip(point) {
  tip.textContent = point.getAttribute('aria-label');
  tip.hidden = false;
  const box = point.getBoundingClientRect();
  const left = box.left + box.width / 2 - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${box.top > tip.offsetHeight + 8 ? box.top - tip.offsetHeight - 6 : box.bottom + 6}px`;
}

/** @param {Event} event that reaches a point of a chart, or something else */
function pointed({ target }) {
  const point = target instanceof Element && target.closest('.point');
  if (point) showTip(point);
  else tip.hidden = true;
}

/** Of the arrows: by how many points each leads on. @type {Record<string, number>} */
const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** @param {HTMLElement} plot @param {number} by */
function movePoint(plot, by) {
  const points = /** @type {SVGElement[]} */ ([...plot.querySelectorAll('.point')]);
  const now = points.indexOf(/** @type {any} */ (document.activeElement));
  const next = points[Math.min(points.length - 1, Math.max(0, now + by))];
  for (const p of points) p.setAttribute('tabindex', p === next ? '0' : '-1');
  next?.focus();
}

/** @param {HTMLElement} figure @param {Model} model of its chart */
export function enliven(figure, model) {
  const plot = /** @type {HTMLElement} */ (figure.querySelector('.plot'));
  let log = model.log;
  /** @type {Set<number>} */
  const hidden = new Set();
  const draw = () => {
    plot.innerHTML = drawChart(model, { log, hidden });
    // One stop of the tabulator for the points of a chart; the arrows go on from there.
    plot.querySelector('.point')?.setAttribute('tabindex', '0');
    tip.hidden = true;
  };
  const button = figure.querySelector('button');
  button?.removeAttribute('hidden');
  button?.addEventListener('click', () => {
    log = !log;
    button.setAttribute('aria-pressed', String(log));
    draw();
  });
  plot.addEventListener('click', ({ target }) => {
    const series = /** @type {Element} */ (target).closest('.key')?.getAttribute('data-series');
    if (!series) return;
    if (!hidden.delete(Number(series))) hidden.add(Number(series));
    draw();
    /** @type {SVGElement | null} */ (plot.querySelector(`.key[data-series="${series}"]`))?.focus();
  });
  plot.addEventListener('keydown', (event) => {
    const { key, target } = event;
    const [onKey, onPoint] = ['.key', '.point'].map((of) => /** @type {Element} */ (target).closest(of));
    if (key === 'Escape') tip.hidden = true;
    if (onKey && [' ', 'Enter'].includes(key)) onKey.dispatchEvent(new Event('click', { bubbles: true }));
    else if (onPoint && key in ARROWS) movePoint(plot, ARROWS[key]);
    else return;
    event.preventDefault();
  });
  draw();
}

/** @param {HTMLTableCellElement} cell @returns {number} its first figure; NaN without one */
function figureIn(cell) {
  const found = /[-−]?\d[\d\u202f]*(?:\.\d+)?/.exec(cell.textContent ?? '');
  return found ? Number(found[0].replaceAll('\u202f', '').replace('−', '-')) : Number.NaN;
}

/**
 * On a narrow screen a row is a card, in which each cell has its head beside it.
 * @param {HTMLTableElement} table
 */
export function asCards(table) {
  const heads = [...(table.tHead?.rows[0].cells ?? [])];
  for (const row of table.tBodies[0]?.rows ?? [])
    for (const [i, cell] of [...row.cells].entries()) cell.dataset.head = heads[i]?.textContent ?? '';
}

/** @param {HTMLTableElement} table */
function sortable(table) {
  asCards(table);
  const body = table.tBodies[0];
  const rows = [...(body?.rows ?? [])];
  const heads = [...(table.tHead?.rows[0].cells ?? [])];
  // A head without words has a name for who does not see the table.
  for (const head of heads) if (head.textContent === '') head.setAttribute('aria-label', 'row');
  if (rows.length < 2) return;
  for (const [i, head] of heads.entries()) {
    const button = document.createElement('button');
    if (head.textContent === '') button.setAttribute('aria-label', 'row');
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const sorted = head.getAttribute('aria-sort');
      const order = sorted === 'descending' ? 'ascending' : sorted === 'ascending' ? null : 'descending';
      for (const other of table.tHead?.rows[0].cells ?? []) other.removeAttribute('aria-sort');
      if (order) head.setAttribute('aria-sort', order);
      const sign = order === 'ascending' ? 1 : -1;
      const compare = (/** @type {HTMLTableRowElement} */ a, /** @type {HTMLTableRowElement} */ b) => {
        const [x, y] = [a.cells[i], b.cells[i]];
        if (head.align !== 'right') return sign * String(x.textContent).localeCompare(String(y.textContent));
        const [p, q] = [figureIn(x), figureIn(y)];
        // What has no figure stands below, whatever the order.
        if (Number.isNaN(p) || Number.isNaN(q)) return Number(Number.isNaN(p)) - Number(Number.isNaN(q));
        return sign * (p - q);
      };
      body.append(...(order ? [...rows].sort(compare) : rows));
    });
  }
}

/** A link into what is folded away opens it. */
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let folded = target?.closest('details'); folded; folded = folded.parentElement?.closest('details'))
    folded.open = true;
  target?.scrollIntoView();
}

for (const figure of document.querySelectorAll('figure'))
  enliven(figure, JSON.parse(figure.querySelector('script')?.textContent ?? ''));
for (const table of document.querySelectorAll('table')) sortable(table);
for (const reach of ['pointerover', 'focusin']) addEventListener(reach, pointed);
addEventListener('hashchange', unfold);
// Paper folds nothing.
addEventListener('beforeprint', () => {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
});
unfold();
