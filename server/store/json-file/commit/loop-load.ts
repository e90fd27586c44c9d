import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** Whether this process or the disk is what a stretch of time was spent on. */
export class LoopLoad {
  wasBusy = false;
  #since: EventLoopUtilization = performance.eventLoopUtilization();

  /** Whether the event loop had more to do than to wait for since it was last asked. */
  isBusy(): boolean {
    const now = performance.eventLoopUtilization();
    this.wasBusy = performance.eventLoopUtilization(now, this.#since).utilization > 0.5;
    this.#since = now;
    return this.wasBusy;
  }
}
