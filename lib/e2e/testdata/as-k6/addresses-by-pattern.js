import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  http.get(http.url`${url}/item?id=${__ITER}`);
  sleep(0.02);
}
