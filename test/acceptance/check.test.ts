import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { givenFolder } from '../support/command.ts';
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts';
import { startOtherService } from '../support/other-service.ts';

describe.skipIf(!hasTerminals())('check on a real terminal', () => {
  it.each([8, 40, 80])('deletes what it made after Ctrl-C, %i requests in', async (count) => {
    // Slow enough for anything that turns while one waits.
    const slowly = { status: 503, headers: { 'retry-after': '1' } };
    const service = await startOtherService(['One'], { first: { GET: ['answer', slowly] } });
    const running = startOnTerminal(['check', service.blogUrl, '--write'], {
      folder: await givenFolder(),
      env: { BLOGCTL_TOKEN: 'right-token' },
    });
    try {
      while (service.requests.length < count) await turn();
      running.stdin.write('\u0003');
      const { stdout, exitCode } = await running;
      expect(stdout).toContain('Interrupted.');
      expect(exitCode).toBe(130);
      expect([...service.articles.values()].map(({ title }) => title)).toEqual(['One']);
    } finally {
      running.kill('SIGKILL');
      await service.stop();
    }
  });
});
