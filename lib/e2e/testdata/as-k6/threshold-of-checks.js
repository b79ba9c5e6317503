import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export const options = { thresholds: { checks: ['rate>0.9'] } };
let n = 0;
export default function () {
  const answer = http.get(`${url}/ok`);
  n++;
  check(answer, { 'every second': () => n % 2 === 0, 'is there': (r) => r.status === 200 });
  sleep(0.02);
}
