import http from 'k6/http';
import { check, sleep } from 'k6';
import { parseHTML } from 'k6/html';
const url = __ENV.BASE_URL;

export default function () {
  const page = http.get(`${url}/page`);
  check(parseHTML(page.body), { 'has a title': (doc) => doc.find('title').text() === 'Shop' });
  page.clickLink({ selector: 'a' });
  page.submitForm();
  sleep(0.02);
}
