import http from 'k6/http';
import { check } from 'k6';
const url = __ENV.BASE_URL;

export default async function () {
  const [a, b] = await Promise.all([http.asyncRequest('GET', `${url}/a`), http.asyncRequest('GET', `${url}/b`)]);
  check([a, b], { 'both are there': (all) => all.every((r) => r.status === 200) });
  await new Promise((resolve) => setTimeout(resolve, 20));
}
