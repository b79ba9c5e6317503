import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export const options = {
  scenarios: {
    readers: { executor: 'constant-vus', vus: 1, duration: '3s', exec: 'read', tags: { of: 'readers' } },
    writers: { executor: 'constant-vus', vus: 1, duration: '3s', exec: 'write', env: { WHAT: 'cup' } },
  },
  thresholds: { 'http_req_duration{scenario:writers}': ['min<60000'] },
};
export function read() {
  http.get(`${url}/read`);
  sleep(0.02);
}
export function write() {
  http.post(`${url}/write?what=${__ENV.WHAT}`, 'x');
  sleep(0.02);
}
