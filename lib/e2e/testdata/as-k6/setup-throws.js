import http from 'k6/http';

export function setup() {
  throw new Error('nothing is ready');
}
export default function () {
  http.get(`${__ENV.BASE_URL}/ok`);
}
