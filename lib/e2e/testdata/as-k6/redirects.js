import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  check(http.get(`${url}/redirect`), { 'was led on': (r) => r.url.endsWith('/ok') });
  check(http.get(`${url}/redirect`, { redirects: 0 }), { 'was not led on': (r) => r.status === 302 });
  sleep(0.02);
}
