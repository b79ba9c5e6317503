import { check, sleep } from 'k6';
import grpc from 'k6/net/grpc';
const client = new grpc.Client();
client.load([], 'shop.proto');
export default function () {
  client.connect(__ENV.BASE_URL.replace('grpc://', ''), { plaintext: true });
  const answer = client.invoke('shop.Shop/Get', { status: 0 });
  check(answer, { 'is OK': (r) => r.status === grpc.StatusOK });
  client.close();
  sleep(0.02);
}
