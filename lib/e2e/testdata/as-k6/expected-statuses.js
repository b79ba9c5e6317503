import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 299 }, 404));
export default function () {
  http.get(`${url}/status/404`);
  http.get(`${url}/ok`);
  sleep(0.02);
}
