// as-k6: --rate 40
import http from 'k6/http';
const url = __ENV.BASE_URL;

export const options = {
  scenarios: { x: { executor: 'constant-arrival-rate', rate: 40, duration: '3s', preAllocatedVUs: 40 } },
  thresholds: { 'http_req_failed{expected_response:false}': ['rate<0.5'] },
};
export default function () {
  http.get(`${url}/flaky/10`);
}
