import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  http.get(`${url}/cookie/first`);
  check(http.get(`${url}/cookie/second`), { 'was seen': (r) => r.json('cookie') === 'seen=1' });
  http.cookieJar().clear(url);
  sleep(0.02);
}
