// as-k6: --rate 40
import http from 'k6/http';
import { check } from 'k6';
const url = __ENV.BASE_URL;

export const options = {
  scenarios: { x: { executor: 'constant-arrival-rate', rate: 40, duration: '3s', preAllocatedVUs: 40 } },
  thresholds: { dropped_iterations: ['count<100'], http_reqs: ['count>10'] },
};
export default function () {
  check(http.get(`${url}/list`), { 'is there': (r) => r.status === 200 });
}
