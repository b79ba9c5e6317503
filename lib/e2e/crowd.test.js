/** A crowd that does nothing, or next to nothing: how the servers of this project bear it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadStacks } from '../config/stacks.js';
import { which } from '../process/tool.js';
import { stackBuilds } from '../setup/builds.js';
import { crowd, goodClient, kindOf, mostMib, ownServers, startOwn } from './crowd.js';

const COUNTS = { idle: 1000, slow: 100 };
const CONNECTIONS = COUNTS.idle + COUNTS.slow;
const REQUESTS = 200;
/** Longer than it takes to connect all of them. */
const PATIENCE_SEC = 5;

for (const stack of ownServers(loadStacks().stacks)) {
  const tool = stackBuilds(stack)
    .map((b) => b.command[0])
    .find((t) => which(t) === null);
  test(`${stack.id}: a crowd disturbs no one, takes the memory that is stated, and is cut where it is slow`, {
    skip: tool && `${tool} is not on PATH`,
  }, async () => {
    const kind = kindOf(stack);
    const { instance, port, rssMib } = await startOwn(stack, { patienceSec: PATIENCE_SEC });
    try {
      const others = await crowd(port, kind, COUNTS);
      try {
        assert.equal((await goodClient(kind, port, REQUESTS)).length, REQUESTS);
        const rss = rssMib();
        assert.ok(rss > 1, `a server that takes ${rss} MiB is not the one that was asked`);
        const most = mostMib(stack, CONNECTIONS);
        assert.ok(rss <= most, `it takes ${rss.toFixed(1)} MiB, and may take ${most.toFixed(1)}`);
        if (stack.manifest.memory?.patience) await untilAllCut(others);
        assert.equal((await goodClient(kind, port, REQUESTS)).length, REQUESTS);
      } finally {
        others.leave();
      }
    } finally {
      await instance.stop();
    }
  });
}

/** @param {{slowCut: () => number}} others */
async function untilAllCut({ slowCut }) {
  for (const until = Date.now() + 60_000; slowCut() < COUNTS.slow; ) {
    assert.ok(Date.now() < until, `only ${slowCut()} of ${COUNTS.slow} were cut`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
