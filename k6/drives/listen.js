/** A client of a stream: what it receives is counted until the window ends, and held against what is sent meanwhile. */
import burstModule from 'k6/x/burst';
import { keysOfWindow } from '../keys.js';
import { client, context, plan, profile, settings, workload } from '../task.js';
import { takeTurn, user } from '../virtual-user.js';

export function listen() {
  const { window } = takeTurn();
  const keys = context.checksAnswers && keysSent(user.planned);
  burstModule.listen({
    ...{ window, ...client.listening(settings.target), untilMs: window.endMs },
    ...(keys ? { keys } : {}),
  });
}

/**
 * @param {{startSec: number}} listening
 * @returns the keys, whose ids all its users share, of the window in which things are sent at the same time
 */
function keysSent({ startSec }) {
  const { facts } = workload;
  const sending = plan.windows.find(
    (w) => w.startSec === startSec && w.operations.some((op) => facts.operations[op].items),
  );
  return sending && keysOfWindow(sending, profile, facts, 0);
}
