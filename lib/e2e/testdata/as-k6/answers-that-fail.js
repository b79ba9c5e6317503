import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export const options = { thresholds: { http_req_failed: ['rate<0.1'] } };
export default function () {
  http.get(`${url}/status/404`);
  http.get(`${url}/ok`);
  sleep(0.02);
}
