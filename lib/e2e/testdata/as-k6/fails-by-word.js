import http from 'k6/http';
import { check, fail, sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  const answer = http.get(`${url}/ok`);
  sleep(0.02);
  if (!check(answer, { 'is early': () => __ITER % 5 < 4 })) fail('it is late');
}
