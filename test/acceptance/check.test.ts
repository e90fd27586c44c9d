import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { givenFolder } from '../support/command.ts';
import { startOtherService } from '../support/other-service.ts';
import { isInstalled } from '../support/programs.ts';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

describe.skipIf(!isInstalled('script'))('check on a real terminal', () => {
  it.each([8, 40, 80])('deletes what it made after Ctrl-C, %i requests in', async (count) => {
    // Slow enough for anything that turns while one waits.
    const slowly = { status: 503, headers: { 'retry-after': '1' } };
    const service = await startOtherService(['One'], { first: { GET: ['answer', slowly] } });
    const folder = await givenFolder();
    const command = `'${process.execPath}' '${bin}' check ${service.blogUrl} --write`;
    const running = execa('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      extendEnv: false,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        TERM: 'xterm-256color',
        SHELL: '/bin/sh',
        BLOGCTL_TOKEN: 'right-token',
      },
      stdin: 'pipe',
      reject: false,
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
