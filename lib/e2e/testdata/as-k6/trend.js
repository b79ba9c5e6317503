import http from 'k6/http';
import { sleep } from 'k6';
import { Trend } from 'k6/metrics';
const url = __ENV.BASE_URL;
const waiting = new Trend('waiting_time', true);
export const options = { thresholds: { waiting_time: ['avg<60000'] } };
export default function () {
  waiting.add(http.get(`${url}/ok`).timings.waiting);
  sleep(0.02);
}
