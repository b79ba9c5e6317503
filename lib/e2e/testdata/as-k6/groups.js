import http from 'k6/http';
import { check, group, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  group('browse', () => {
    http.get(`${url}/list`);
    group('look', () => check(http.get(`${url}/one`), { 'one is there': (r) => r.status === 200 }));
  });
  sleep(0.02);
}
