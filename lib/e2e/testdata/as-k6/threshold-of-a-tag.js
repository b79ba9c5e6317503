import http from 'k6/http';
import { sleep } from 'k6';
const url = __ENV.BASE_URL;

export const options = {
  thresholds: { 'http_req_duration{kind:slow}': ['min<10'], 'http_req_duration{kind:quick}': ['min<60000'] },
};
export default function () {
  http.get(`${url}/ok`, { tags: { kind: 'quick' } });
  http.get(`${url}/slow/20`, { tags: { kind: 'slow' } });
}
