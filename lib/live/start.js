import { withoutUserinfo } from '../controls.js';
import { startComposedLive } from './compose.js';
import { openDashboard } from './dashboard.js';
import { startInfluxd } from './influxd.js';

/**
 * @import { Project } from '../engines/docker/project.js'
 * @import { Output } from '../output.js'
 */

/**
 * What shows a run while it runs, whatever engine it is on. No figure of a report comes from here.
 * @typedef {object} Live
 * @property {Awaited<ReturnType<typeof openDashboard>>['show'] | null} page null: nothing is shown
 * @property {{influxUrl: string | null, networkInfluxUrl: string | null, dashboardPort: number | null}} telemetry
 *   `influxUrl`: of the database k6, as seen from this machine
 * @property {() => Promise<void>} stop
 */

/**
 * What k6/dashboard.json shows, from the first full second of a load on. It has no charts but those of single figures: k6's
 * page fails where a chart gets a line that it had not when the page was opened.
 */
const OWN_METRICS = /"op_p99_ms"/;

/**
 * Starts the live view and says where it is.
 * @param {{live: boolean, keep: boolean, pull: boolean, project: Project | null, script: boolean}} options `keep`: the
 *   services are still up when the run is over; `script`: the load is a user's own script
 * @param {Output} output
 * @returns {Promise<Live>}
 */
export async function startLive({ live, keep, pull, project, script }, output) {
  const none = { influxUrl: null, networkInfluxUrl: null, dashboardPort: null };
  if (!live) return { page: null, telemetry: none, stop: async () => {} };
  const dashboard = await openDashboard(script ? undefined : OWN_METRICS);
  output.say(`live: http://127.0.0.1:${dashboard.port}`);
  const store = project ? await startComposedLive(project, { keep, pull }, output) : await startInfluxd();
  const influxUrl = store?.url ?? null;
  if (influxUrl) output.say(`live metrics: InfluxDB at ${withoutUserinfo(influxUrl)}`);
  return {
    page: dashboard.show,
    telemetry: {
      influxUrl,
      networkInfluxUrl: store && 'networkUrl' in store ? store.networkUrl : null,
      dashboardPort: dashboard.k6Port,
    },
    stop: async () => {
      await dashboard.close();
      await store?.stop?.();
      if (keep && influxUrl)
        output.say('live view: still running; stop it with `docker compose down --volumes`');
    },
  };
}
