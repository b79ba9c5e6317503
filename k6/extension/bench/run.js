// The same work as race.js, but shaped by k6: one connection for each of VUS virtual users, bursts of BURST operations.
import burst from 'k6/x/burst';
import measure from 'k6/x/measure';

const { protocol, address, template, path } = JSON.parse(__ENV.RACE);

export const options = {
  scenarios: { run: { executor: 'constant-vus', vus: Number(__ENV.VUS), duration: `${__ENV.SECONDS}s` } },
};

const connection = burst.connect({ protocol, address, path });

export function setup() {
  return { startMs: measure.epochMs() };
}

export default function ({ startMs }) {
  const endMs = startMs + Number(__ENV.SECONDS) * 1000;
  const window = measure.window({ op: 'op', phase: 'measure', startMs, endMs: startMs + 600_000 });
  connection.run({ window, template, count: Number(__ENV.BURST), untilMs: endMs });
}

export function handleSummary() {
  const { count, errors, firstStartMs, lastEndMs } = JSON.parse(measure.exportAll()).windows[0];
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
  return {
    stdout: JSON.stringify({ operations: count, failed, seconds: (lastEndMs - firstStartMs) / 1000 }),
  };
}
