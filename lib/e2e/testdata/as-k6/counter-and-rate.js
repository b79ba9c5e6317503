import http from 'k6/http';
import { sleep } from 'k6';
import { Counter, Gauge, Rate } from 'k6/metrics';
const url = __ENV.BASE_URL;
const orders = new Counter('orders');
const full = new Rate('full_carts');
const size = new Gauge('cart_size');
export const options = { thresholds: { full_carts: ['rate>0.9'], orders: ['count>1'] } };
let n = 0;
export default function () {
  http.post(`${url}/order`, '{}');
  orders.add(1);
  full.add(++n % 2 === 0);
  size.add(n % 5);
  sleep(0.02);
}
