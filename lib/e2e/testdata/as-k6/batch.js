import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  const answers = http.batch([`${url}/a`, ['POST', `${url}/b`, 'x'], { method: 'GET', url: `${url}/c` }]);
  check(answers, { 'all are there': (all) => all.every((r) => r.status === 200) });
  sleep(0.02);
}
