import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const answer = http.request(method, `${url}/item`, 'x');
    check(answer, { 'by its method': (r) => r.json('method') === method });
  }
  sleep(0.02);
}
