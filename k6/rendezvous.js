/**
 * Runners begin together. Whoever starts them tells one after another to go, some are ready later than others, and on
 * several machines their clocks differ: so each waits, before its load, until all have been told, for a moment that the
 * first one sets; and learns on the way how far its clock is from the first one's. They meet over k6's own REST API, and
 * need nothing else.
 */
import { sleep } from 'k6';
import http from 'k6/http';
import { Gauge } from 'k6/metrics';
import measure from 'k6/x/measure';
import { offsetOf } from './clock-offset.js';
import { settings } from './task.js';

/** From the moment that all are there until the load begins: time to hear of it, and to read another machine's clock. */
const LEAD_MS = Object.freeze({ here: 500, elsewhere: 3000 });
const LOOK_SEC = 0.05;
/** What k6 calls the moment, epoch ms of the first runner, for the others to ask. */
const MOMENT = 'ladderbench_begin';
/** Who is not there yet is no failure. @type {any} */
const ASK = Object.freeze({ timeout: '2s', responseCallback: null, tags: { name: 'rendezvous' } });

/** Metrics are made before any load, or not at all. @type {Gauge | null} */
const moment = settings.meet ? new Gauge(MOMENT) : null;

/** Addresses of the runners, in their order, or one for all with `{runner}` in it. */
const addresses = String(settings.meet).split(',');
/** Whether all of them read the same clock. */
const here = addresses.every((address) => address.startsWith('http://127.0.0.1:'));

/**
 * @param {number} runner from 1
 * @returns {string} address of its REST API
 */
function addressOf(runner) {
  return (addresses[runner - 1] ?? addresses[0]).replace('{runner}', String(runner));
}

/**
 * Returns when the load is to begin.
 * @param {number} runner from 1
 * @param {number} runners
 * @throws {Error} where it hears of the moment when that is over
 */
export function meet(runner, runners) {
  if (!moment || runners === 1) return;
  const clock = runner === 1 || here ? { offsetMs: 0, uncertaintyMs: 0 } : clockOfFirst();
  const beginMs = runner === 1 ? setMoment(runners) : hearMoment();
  measure.note('clock', clock);
  const waitMs = beginMs - clock.offsetMs - Date.now();
  if (waitMs < 0) throw new Error(`runner ${runner} came ${-waitMs} ms late to the begin`);
  sleep(waitMs / 1000);
}

/**
 * The first runner: once all have been told to go, the moment.
 * @param {number} runners
 * @returns {number} epoch ms
 */
function setMoment(runners) {
  let waiting = Array.from({ length: runners - 1 }, (_, i) => i + 2);
  for (;;) {
    const asked = waiting.map((r) => ({ method: 'GET', url: `${addressOf(r)}/v1/status`, params: ASK }));
    const answers = /** @type {import('k6/http').Response[]} */ (/** @type {unknown} */ (http.batch(asked)));
    waiting = waiting.filter(
      (_, i) => answers[i].status !== 200 || answers[i].json('data.attributes.paused'),
    );
    if (waiting.length === 0) break;
    sleep(LOOK_SEC);
  }
  const beginMs = Date.now() + LEAD_MS[here ? 'here' : 'elsewhere'] + 10 * runners;
  /** @type {Gauge} */ (moment).add(beginMs);
  return beginMs;
}

/** @returns {number} epoch ms of the first runner */
function hearMoment() {
  for (;;) {
    const answer = http.get(`${addressOf(1)}/v1/metrics/${MOMENT}`, ASK);
    const value = answer.status === 200 ? Number(answer.json('data.attributes.sample.value')) : 0;
    if (value > 0) return value;
    sleep(LOOK_SEC);
  }
}

/**
 * The first runner tells the second of its clock with every answer: when that changes, a second begins there.
 * @returns {{offsetMs: number, uncertaintyMs: number}} what to add to this clock for that of the first runner
 */
function clockOfFirst() {
  /** @type {import('./clock-offset.js').Look[]} */
  const looks = [];
  for (;;) {
    const sentMs = Date.now();
    const answer = http.get(`${addressOf(1)}/v1/status`, ASK);
    const date = Date.parse(answer.headers.Date ?? '');
    if (answer.status === 200 && date > 0) looks.push({ sentMs, receivedMs: Date.now(), secondMs: date });
    const offset = offsetOf(looks);
    if (offset) return offset;
    sleep(0.005);
  }
}
