import { sha256 } from 'k6/crypto';
import encoding from 'k6/encoding';
import http from 'k6/http';
import { sleep } from 'k6';
import { nameOf } from './names.js';
const url = __ENV.BASE_URL;

interface Item {
  id: number;
  seal: string;
}

const itemOf = (id: number): Item => ({ id, seal: encoding.b64encode(sha256(nameOf(id), 'hex')) });

export default function (): void {
  http.post(`${url}/typed`, JSON.stringify(itemOf(__ITER)));
  sleep(0.02);
}
