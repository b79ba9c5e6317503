// Plain k6: POST with keep-alive, one request for each iteration.
import http from 'k6/http';

export const options = {
  discardResponseBodies: true,
  scenarios: { http: { executor: 'constant-vus', vus: Number(__ENV.VUS), duration: `${__ENV.SECONDS}s` } },
};

const params = { headers: { 'Content-Type': 'application/json' } };

export default function () {
  http.post(`http://${__ENV.ADDRESS}/`, __ENV.BODY, params);
}

export function handleSummary({ metrics, state }) {
  const failed = metrics.http_req_failed.values.passes;
  return {
    stdout: JSON.stringify({
      operations: metrics.http_reqs.values.count - failed,
      failed,
      seconds: state.testRunDurationMs / 1000,
    }),
  };
}
