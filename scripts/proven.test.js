import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { provenOf } from '../lib/config/proven.js';
import { loadStacks } from '../lib/config/stacks.js';
import { ROOT } from '../lib/paths.js';
import { provenCounts, provenPage } from './proven.js';

const seen = { version: '1.2.0', date: '2026-01-31', saw: 'all of it, twice' };
const blocked = { blocked: 'nobody has one' };

test('the README says how many systems were seen to run in which way', () => {
  const systems = loadStacks().stacks.filter((s) => s.id === s.base && !s.id.startsWith('_'));
  const line = provenCounts(systems.map(provenOf));
  assert.ok(readFileSync(join(ROOT, 'README.md'), 'utf8').includes(line), `README.md must have: ${line}`);
  const old = { ...seen, since: 'it is asked for its settings' };
  assert.match(
    provenCounts([{ native: seen, container: blocked, endpoint: old }, null]),
    /^2 systems are supported: 1 were run as processes, 0 in containers\. 1 were reached by their address \(1 of these by older code\)/,
  );
});

test('the page says version and date, and “never” where nobody has seen it', () => {
  const proven = { native: { ...seen, run: 'r' }, container: { ...seen, version: null }, endpoint: blocked };
  const page = provenPage([
    { id: 'alpha', proven },
    { id: 'beta', proven: null },
  ]);
  assert.match(
    page,
    /^\| `alpha` \| \*\*1\.2\.0, 2026-01-31\*\*: all of it, twice \(\[run\]\(\.\.\/reports\/r\/README\.md\)\) \| \*\*2026-01-31\*\*: all of it, twice \| \*untested\*: nobody has one \|$/m,
  );
  assert.match(page, /^\| `beta` \| \*untested\*: no run yet/m);
});
