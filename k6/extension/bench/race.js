// One load from one virtual user, described by JSON in RACE; prints operations and seconds for scripts/bench-generator.mjs.
import burst from 'k6/x/burst';
import measure from 'k6/x/measure';

const { template, depth, count, durationMs, keys, ...connecting } = JSON.parse(__ENV.RACE);

export const options = { scenarios: { race: { executor: 'per-vu-iterations', vus: 1, iterations: 1 } } };

export default function () {
  const startMs = measure.epochMs();
  const window = measure.window({ op: 'op', phase: 'measure', startMs, endMs: startMs + 600_000 });
  const connection = burst.connect(connecting);
  connection.run({
    window,
    template,
    depth,
    count,
    ...(durationMs ? { untilMs: startMs + durationMs } : {}),
    ...(keys ? { keys: burst.keys(keys) } : {}),
  });
  connection.close();
}

export function handleSummary() {
  const { count, errors, firstStartMs, lastEndMs } = JSON.parse(measure.exportAll()).windows[0];
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
  return {
    stdout: JSON.stringify({ operations: count, failed, seconds: (lastEndMs - firstStartMs) / 1000 }),
  };
}
