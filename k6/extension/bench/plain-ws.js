// Plain k6: each VU sends a message, waits for the answer, notes the latency, and sends the next.

import { Trend } from 'k6/metrics';
import { WebSocket } from 'k6/websockets';

export const options = {
  summaryTrendStats: ['count'],
  scenarios: { ws: { executor: 'per-vu-iterations', vus: Number(__ENV.VUS), iterations: 1 } },
};

const latency = new Trend('call_duration', true);

export default function () {
  const socket = new WebSocket(`ws://${__ENV.ADDRESS}/`);
  let end = 0;
  let sent = 0;
  const call = () => {
    sent = Date.now();
    socket.send(__ENV.BODY);
  };
  socket.onopen = () => {
    end = Date.now() + Number(__ENV.SECONDS) * 1000;
    call();
  };
  socket.onmessage = () => {
    const now = Date.now();
    latency.add(now - sent);
    if (now < end) call();
    else socket.close();
  };
}

export function handleSummary({ metrics }) {
  return {
    stdout: JSON.stringify({
      operations: metrics.call_duration.values.count,
      failed: 0,
      seconds: Number(__ENV.SECONDS),
    }),
  };
}
