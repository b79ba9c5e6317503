// Plain k6: the turn of the workload rest-crud, 13 requests one after the other, as a script of it is usually written.
import { check } from 'k6';
import http from 'k6/http';
import { payloads } from '../../workloads/entities/data.js';

export const options = {
  discardResponseBodies: true,
  scenarios: { turns: { executor: 'constant-vus', vus: Number(__ENV.VUS), duration: `${__ENV.SECONDS}s` } },
};

const params = { headers: { 'Content-Type': 'application/json' } };
/** The responder tells no ids: both sides ask for this one. */
const ID = '00000000-0000-4000-8000-000000000000';

function send(method, path, payload) {
  const body = payload === undefined ? null : JSON.stringify(payload);
  const answer = http.request(method, `http://${__ENV.ADDRESS}${path}`, body, params);
  check(answer, { answered: (a) => a.status >= 200 && a.status < 300 });
}

export default function () {
  const named = (kind) => `${kind}-${__VU}-${__ITER}`;
  const create = (kind, payload) => send('POST', `/${kind}/api`, payload);
  const read = (kind) => send('GET', `/${kind}/api/${ID}`);
  const replace = (kind, payload) => send('PUT', `/${kind}/api/${ID}`, payload);
  const farm = payloads.farm(named('farm'), __ITER);
  const container = payloads.container(named('container'), __ITER);
  create('farm', farm);
  create('coop', payloads.coop(named('coop'), ID));
  create('container', container);
  create('consumer', payloads.consumer(named('consumer'), __ITER));
  create('consumer', payloads.consumer(named('spare'), __ITER));
  replace('farm', { ...farm, zone: 'zone-4' });
  replace('container', { ...container, zone: 'zone-4' });
  for (const kind of ['farm', 'coop', 'container', 'consumer']) read(kind);
  send('DELETE', `/consumer/api/${ID}`);
  create('coop', payloads.coop(named('last'), ID));
}

export { handleSummary } from './http-summary.js';
