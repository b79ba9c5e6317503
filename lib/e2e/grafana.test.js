import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grafanaFaults } from '../live/testing-grafana.js';

/** What a run of the last hour need not have: open steps, operations that failed, cAdvisor and its containers. */
const MAY_BE_EMPTY =
  /"class" <> ''|op_dropped|op_target_per_sec|op_achieved_ratio|io_(read|write)_bytes|container|ops_per_cpu_sec/;

test('a Grafana that stands shows a run on every panel, and whoever looks at it can change nothing', async (t) => {
  const grafana = process.env.GRAFANA_URL;
  if (!grafana)
    return t.skip(
      'GRAFANA_URL=http://127.0.0.1:3000 says where one is: ./run-all.sh smoke --engine docker --live leaves it up with its run',
    );
  assert.deepEqual(await grafanaFaults(new URL(grafana).origin, { mayBeEmpty: MAY_BE_EMPTY }), []);
});
