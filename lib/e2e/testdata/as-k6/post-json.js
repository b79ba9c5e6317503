import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  const body = JSON.stringify({ name: 'cup', price: 3 });
  const answer = http.post(`${url}/items`, body, { headers: { 'Content-Type': 'application/json' } });
  check(answer, { 'the body came': (r) => r.json('body') === body });
  sleep(0.02);
}
