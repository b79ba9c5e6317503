import { check, sleep } from 'k6';
import ws from 'k6/ws';
const url = __ENV.BASE_URL;

export default function () {
  const answer = ws.connect(`${url}/ws`, {}, (socket) => {
    socket.on('open', () => socket.send('hello'));
    socket.on('message', (text) => {
      check(text, { 'is said again': (said) => said === 'hello' });
      socket.close();
    });
  });
  check(answer, { 'was switched': (r) => r && r.status === 101 });
  sleep(0.02);
}
