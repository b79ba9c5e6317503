import http from 'k6/http';
import { check, sleep } from 'k6';
const url = __ENV.BASE_URL;

export function setup() {
  return { token: http.post(`${url}/login`, '{}').json('token') };
}
export default function ({ token }) {
  const answer = http.get(`${url}/private`, { headers: { Authorization: `Bearer ${token}` } });
  check(answer, { 'is let in': (r) => r.status === 200 });
  sleep(0.02);
}
export function teardown({ token }) {
  http.post(`${url}/logout`, token);
}
