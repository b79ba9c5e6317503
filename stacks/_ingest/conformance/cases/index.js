import { reading } from './reading.js';
import { refusing } from './refusing.js';
import { streaming } from './streaming.js';
import { writing } from './writing.js';

/** Every test of the contract that needs nothing but a running server. They may run against one with events in it. */
export const cases = [...writing, ...refusing, ...reading, ...streaming];
