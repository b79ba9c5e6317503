// as-k6: --rate 40
import http from 'k6/http';
const url = __ENV.BASE_URL;
const of = (rate, exec) => ({ executor: 'constant-arrival-rate', rate, duration: '3s', preAllocatedVUs: rate, exec });

export const options = { scenarios: { read: of(30, 'read'), write: of(10, 'write') } };
export function read() {
  http.get(`${url}/read`);
}
export function write() {
  http.post(`${url}/write`, 'x');
}
