import http from 'k6/http';
const items = JSON.parse(open('./gone.json'));
export default function () {
  http.post(`${__ENV.BASE_URL}/ok`, items[0]);
}
