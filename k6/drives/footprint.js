/**
 * Everything is stored and the load rests: how large is it, before and after the system has compacted it?
 * @import { FootprintNote, Step } from '../../lib/types.d.ts'
 */
import { sleep } from 'k6';
import measure from 'k6/x/measure';
import { REST_SEC } from '../schedule/by-count.js';
import { client, settings } from '../task.js';

/**
 * A system that does not say is no reason to lose the cell.
 * @param {Step} step
 */
export async function noteFootprint(step) {
  const opened = client.open(settings.target);
  const reading = async () => {
    sleep(REST_SEC);
    const own = await opened.storedBytes();
    return { atMs: measure.epochMs(), ...own };
  };
  /** @type {FootprintNote} */
  const note = {
    documents: step.operations ?? 0,
    before: null,
    compaction: null,
    after: null,
    problem: null,
  };
  try {
    note.before = await reading();
    note.compaction = await opened.compact();
    if (note.compaction !== null) note.after = await reading();
  } catch (error) {
    note.problem = String(error);
  }
  opened.close();
  measure.note('footprint', note);
}
