// As nodes-timers.mjs beside it.
import promises from 'node:timers/promises';

export const { setTimeout, setImmediate, setInterval, scheduler } = promises;
