/** What plain k6 did over HTTP, as scripts/bench-generator.mjs reads it. */
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
