import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export default function () {
  http.get(`${url}/ok`);
  sleep(0.02);
}
