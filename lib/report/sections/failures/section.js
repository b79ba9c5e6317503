import { percent } from '../../../format.js';
import { placeText } from '../../steps.js';
import { left, right, table } from '../../table.js';
import { errorRatio, titleOf } from '../../words.js';

/**
 * @import { Row } from '../../../record/figures.js'
 * @import { Run } from '../../run.js'
 * @import { Section } from '../../view.js'
 */

/**
 * What failed operations were called by the servers themselves: a write conflict and an overload are not alike.
 * @param {Pick<Run, 'plan' | 'rows'>} run
 * @returns {Section | null} null where no server gave a name
 */
export function section({ plan, rows }) {
  const named = rows.filter((r) => r.tried.kinds.length > 0);
  if (named.length === 0) return null;
  return {
    title: 'Failures by name',
    intro: [
      'HTTP or gRPC status, code of a closing WebSocket or first word of a refusal, with the server’s own name where it gives one; of a script also the name of a check, and what an iteration threw. INVALID repeats are in it.',
    ],
    tables: [
      table(named, [
        left('system', (r) => titleOf(plan, r.system)),
        left('load', (r) => `${placeText(plan, r)}, ${r.operation}`),
        right('failed', (r) => `${r.tried.failed} (${percent(errorRatio(r))})`),
        left('called', ({ tried }) => ({ markdown: kindsText(tried.kinds) })),
      ]),
    ],
  };
}

/** @param {Row['tried']['kinds']} kinds */
function kindsText(kinds) {
  return kinds.map(([kind, n]) => `\`${kind}\` ${n}`).join(', ');
}
