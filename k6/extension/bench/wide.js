// Many connections of one virtual user, described by JSON in LOAD; prints operations and seconds for
// scripts/bench-generator.mjs. With `fill`, a template, each of its `keys` is written before.
import burst from 'k6/x/burst';
import measure from 'k6/x/measure';

const { template, seconds, keys: space, fill, depth, ...connecting } = JSON.parse(__ENV.LOAD);

export const options = { scenarios: { wide: { executor: 'per-vu-iterations', vus: 1, iterations: 1 } } };

export default function () {
  const connection = burst.connect(connecting);
  const work = { template, ...(space ? { keys: burst.keys(space) } : {}), ...(depth ? { depth } : {}) };
  // All connections are made before the window opens: each has answered once at least.
  const dialled = measure.window({ op: 'dial', phase: 'warmup', startMs: 1, endMs: 2 });
  if (fill)
    burst
      .connect({ ...connecting, connections: 1 })
      .run({ window: dialled, template: fill, keys: work.keys, depth: 16, count: space.space, from: 0 });
  connection.run({
    window: dialled,
    ...work,
    untilMs: measure.epochMs() + 1000 + connecting.connections / 5,
  });
  const startMs = measure.epochMs();
  const endMs = startMs + seconds * 1000;
  connection.run({
    window: measure.window({ op: 'op', phase: 'measure', startMs, endMs }),
    ...work,
    untilMs: endMs,
  });
  connection.close();
}

export function handleSummary() {
  const { windows, cpu } = JSON.parse(measure.exportAll());
  const { count, errors, startMs, endMs } = windows.find((w) => w.op === 'op');
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
  return { stdout: JSON.stringify({ operations: count, failed, seconds, startMs, endMs, cpu }) };
}
