// as-k6: --rate 10
import http from 'k6/http';
const url = __ENV.BASE_URL;

export const options = {
  scenarios: { x: { executor: 'constant-arrival-rate', rate: 10, duration: '4s', preAllocatedVUs: 10, maxVUs: 10 } },
  thresholds: { dropped_iterations: ['count<1'] },
};
export default function () {
  http.get(`${url}/slow/1900`);
}
