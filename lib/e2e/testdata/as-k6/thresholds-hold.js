import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export const options = { thresholds: { http_req_duration: ['p(95)<60000'], http_req_failed: ['rate<0.01'] } };
export default function () {
  http.get(`${url}/ok`);
  sleep(0.02);
}
