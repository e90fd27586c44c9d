// Node's timers as they are when the library is loaded: node:test puts its fake ones into the
// modules node:timers and node:timers/promises too, and what is asked of those later is theirs.
import timers from 'node:timers';

export const { setTimeout, setInterval, setImmediate } = timers;
export const { clearTimeout, clearInterval, clearImmediate } = timers;
