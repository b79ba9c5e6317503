/** A client of a stream: what it receives is counted until the window ends. */
import burstModule from 'k6/x/burst';
import { client, settings } from '../task.js';
import { takeTurn } from '../virtual-user.js';

export function listen() {
  const { window } = takeTurn();
  burstModule.listen({ window, ...client.listening(settings.target), untilMs: window.endMs });
}
