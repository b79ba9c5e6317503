import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export const options = { thresholds: { http_req_duration: ['p(95)<0.001', 'max<60000'] } };
export default function () {
  http.get(`${url}/ok`);
  sleep(0.02);
}
