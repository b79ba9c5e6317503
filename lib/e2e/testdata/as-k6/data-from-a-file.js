import http from 'k6/http';
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
const url = __ENV.BASE_URL;
const people = new SharedArray('people', () => JSON.parse(open('./people.json')));
export default function () {
  const { name } = people[__ITER % people.length];
  http.get(`${url}/hello?name=${name}`, { tags: { name: 'hello' } });
  sleep(0.02);
}
