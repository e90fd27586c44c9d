import { defineLocking } from './locking.ts';

export const define = defineLocking(true);
