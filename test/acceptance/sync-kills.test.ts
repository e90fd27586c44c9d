import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { random, seed } from '../support/random.ts';
import { blogctl, givenFolder, givenService, startBlogctl } from '../support/command.ts';

const kills = Number(process.env['BLOGCTL_SYNC_KILLS'] ?? 6);

/** Passes everything on, and drops one answer to a change in twenty after it was carried out. */
async function givenLossyWay(blogUrl: string, chance: () => number): Promise<string> {
  const to = new URL(blogUrl);
  const server = createServer((incoming, response) => {
    const { method = 'GET', url: path, headers } = incoming;
    const { hostname: host, port } = to;
    const passed = send({ host, port, method, path, headers, agent: false }, (answer) => {
      if (method !== 'GET' && chance() < 0.05) {
        answer.resume();
        answer.on('end', () => incoming.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return blogUrl.replace(`:${to.port}`, `:${port}`);
}

it(
  `converges though it is killed at any moment and answers are lost (seed ${seed})`,
  async () => {
    const chance = () => random.next();
    const folder = await givenFolder();
    const service = await givenService(folder);
    const way = await givenLossyWay(service.blogUrl, chance);
    const posts = join(folder, 'posts');
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words]);
    const env = {
      BLOGCTL_BLOG: way,
      BLOGCTL_TOKEN: service.token,
      BLOGCTL_DATA_DIR: join(folder, 'data'),
    };
    const words = ['sync', 'apply', 'posts', '--prune', '-y', '--max-deletes', '100%', '--quiet'];
    const texts = new Map([['stays.md', 'text 0']]);
    let last = 0;
    mkdirSync(posts);
    git('init', '-q');

    function change(): void {
      for (let at = 0; at < 12; at += 1) {
        const names = [...texts.keys()].filter((name) => name !== 'stays.md');
        const name = names[Math.floor(chance() * names.length)];
        last += 1;
        if (name === undefined || chance() < 0.4) texts.set(`p${last}.md`, `text ${last}`);
        else if (chance() < 0.6) texts.set(name, `text ${last}`);
        else texts.delete(name);
      }
      rmSync(posts, { recursive: true });
      mkdirSync(posts);
      for (const [name, text] of texts) {
        writeFileSync(join(posts, name), `---\ntitle: ${name}\n---\n${text}\n`);
      }
      git('add', '-A', 'posts');
      git('commit', '-q', '--allow-empty', '-m', 'x');
    }

    change();
    expect(await blogctl(words, { folder, env })).toMatchObject({ exitCode: 0 });
    for (let round = 0; round < kills; round += 1) {
      change();
      const running = startBlogctl(words, { folder, env });
      await Promise.race([pause(100 + chance() * 500), running]);
      running.kill('SIGKILL');
      await running;
      if (chance() < 0.5) rmSync(join(folder, 'data', 'sync'), { recursive: true, force: true });
      if (chance() < 0.5) continue;
      const whole = await blogctl(words, { folder, env });
      expect(`${whole.exitCode} ${whole.stderr}`).toMatch(/^(?:0|10) /);
    }
    let ended = await blogctl(words, { folder, env });
    for (let at = 0; at < 5 && ended.exitCode === 10; at += 1) {
      ended = await blogctl(words, { folder, env });
    }
    expect(ended).toMatchObject({ exitCode: 0 });
    const list = await blogctl(['articles', 'export', '-', '--format', 'ndjson'], { folder, env });
    const there = list.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): { title: string; content: string } => JSON.parse(line))
      .map(({ title, content }) => `${title}/${content}`);
    const here = [...texts].map(([name, text]) => `${name}/${text}\n`);
    expect(there.toSorted()).toEqual(here.toSorted());
    const again = await blogctl(words, { folder, env });
    expect(JSON.parse(again.stdout)).toMatchObject({ written: 0, unchanged: texts.size });
    expect(readFileSync(join(folder, 'blog.json'), 'utf8')).toContain('"blogs"');
  },
  60_000 + kills * 5_000,
);
