import http from 'k6/http';
import { sleep } from 'k6';
import exec from 'k6/execution';
const url = __ENV.BASE_URL;

export default function () {
  http.get(`${url}/ok`);
  if (__ITER === 3) exec.test.fail('the third is bad');
  sleep(0.02);
}
