import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

let n = 0;
export default function () {
  const answer = http.get(`${url}/ok`);
  n++;
  check(answer, { 'is there': (r) => r.status === 200, 'is not a fourth': () => n % 4 > 0 });
  sleep(0.02);
}
