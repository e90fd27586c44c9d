import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { capture } from '../../docs/screens/capture.mjs';
import { draw } from '../../docs/screens/comment.mjs';
import { play } from '../../docs/screens/record.mjs';
import { describeInBrowser } from '../support/browser.ts';
import { isInstalled } from '../support/programs.ts';

const screens = fileURLToPath(new URL('../../docs/screens', import.meta.url));
/** The commands that are shown are typed with the tools of GNU. */
const isLinux = process.platform === 'linux';
const goneOn = '(goes on)';

/** What a screen says, but for how far an import was when it was killed, and the id that depends on it. */
function textOf(screen: string): string {
  return stripVTControlCharacters(screen)
    .replaceAll('\r', '')
    .replaceAll(/[█░]+ Importing \d+ of (\d+) \(\d+ %\)/g, `${goneOn} of $1`)
    .replaceAll(/#\d+/g, '#id')
    .replaceAll(/(\d+) created, (\d+) already there/g, (_all, created: string, there: string) =>
      there === '0' ? 'none was there' : `${Number(created) + Number(there)} in all`,
    )
    .trim();
}

describe('the picture of the README', () => {
  it('shows what is in its recording', async () => {
    const [, ...events] = (await readFile(join(screens, 'blogctl.cast'), 'utf8'))
      .trim()
      .split('\n');
    const last = String(JSON.parse(events.at(-2) ?? '[]')[2]);
    const words = stripVTControlCharacters(last).split(/\s+/).filter(Boolean);
    const svg = await readFile(join(screens, 'blogctl.svg'), 'utf8');
    const shown = svg.replaceAll(/<style>.*?<\/style>/gs, '').replaceAll(/<[^>]*>/g, ' ');
    const plain = shown.replaceAll('&apos;', "'").replaceAll('&gt;', '>').replaceAll('&lt;', '<');
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((word) => !plain.includes(word))).toEqual([]);
  });

  it.skipIf(!isLinux || !isInstalled('tmux'))(
    'is what the same commands show today',
    async () => {
      const cast = (await readFile(join(screens, 'blogctl.cast'), 'utf8')).trim().split('\n');
      const recorded = cast.slice(1).map((line) => textOf(String(JSON.parse(line)[2])));
      const atRest = (await play()).map((scene) => textOf(scene.at(-1) ?? ''));
      expect(atRest.filter((text) => !recorded.includes(text))).toEqual([]);
      expect(atRest.at(-1)).toBe(recorded.at(-2));
    },
    120_000,
  );
});

/** Where a line is broken depends on the length of an address. */
function pageOf(text: string): string {
  return text
    .replaceAll(/\s+/g, '')
    .replaceAll(/[█░]+Importing\d+of(\d+)\(\d+%\)/g, `${goneOn}of$1`)
    .replaceAll(/127\.0\.0\.1:\d+/g, 'here')
    .replaceAll(/article-1-\d+-\d+/g, 'draft')
    .replaceAll(/"\d+-[\da-f]+-[\da-f]+"/g, 'tag');
}

it.skipIf(!isLinux || !isInstalled('tmux'))(
  'the page of screens is what terminals show today',
  async () => {
    const page = await readFile(join(screens, 'screens.md'), 'utf8');
    expect(pageOf(await capture('0'))).toBe(pageOf(page));
  },
  120_000,
);

it.skipIf(!isLinux)('the comment that the README shows is what a plan says today', async () => {
  expect(draw()).toBe(await readFile(join(screens, 'comment.svg'), 'utf8'));
});

describeInBrowser('the comment that the README shows', (given) => {
  it('has its frame whole, and its text within', async () => {
    const { page } = await given().open('/');
    await page.goto(pathToFileURL(join(screens, 'comment.svg')).href);
    const frame = await page.locator('.comment').boundingBox();
    expect(frame).toMatchObject({ x: 1, y: 1, width: 758 });
    const { height = 0 } = frame ?? {};
    expect(await page.locator('svg').getAttribute('height')).toBe(String(height + 2));
    const { y = 0, height: text = 0 } = (await page.locator('.body').boundingBox()) ?? {};
    expect(y + text).toBeLessThan(height);
  });
});
