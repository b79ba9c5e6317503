import { check, sleep } from 'k6';
import { WebSocket } from 'k6/websockets';
const url = __ENV.BASE_URL;

export default function () {
  const socket = new WebSocket(`${url}/ws`);
  socket.onopen = () => socket.send('hello');
  socket.onmessage = ({ data }) => {
    check(data, { 'is said again': (said) => said === 'hello' });
    socket.close();
  };
  sleep(0.02);
}
