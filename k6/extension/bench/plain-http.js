// Plain k6: POST with keep-alive, one request for each iteration.
import http from 'k6/http';

export const options = {
  discardResponseBodies: true,
  scenarios: { http: { executor: 'constant-vus', vus: Number(__ENV.VUS), duration: `${__ENV.SECONDS}s` } },
};

const params = { headers: { 'Content-Type': 'application/json' } };

export default function () {
  http.post(`http://${__ENV.ADDRESS}/`, __ENV.BODY, params);
}

export { handleSummary } from './http-summary.js';
