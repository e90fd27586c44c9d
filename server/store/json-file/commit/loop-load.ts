import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** Whether this process or the disk is what time was spent on. */
export type Load = {
  /** Of the time since it was last asked. */
  isBusy(): boolean;
  /** What it answered last. */
  readonly wasBusy: boolean;
};

/** Busy is an event loop that had more to do than to wait for. */
export class LoopLoad implements Load {
  wasBusy = false;
  #since: EventLoopUtilization = performance.eventLoopUtilization();

  isBusy(): boolean {
    const now = performance.eventLoopUtilization();
    this.wasBusy = performance.eventLoopUtilization(now, this.#since).utilization > 0.5;
    this.#since = now;
    return this.wasBusy;
  }
}
