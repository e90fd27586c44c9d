import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Service } from '../../server/app.ts';
import { checks, type CheckRun } from '../../src/checking/run-checks.ts';
import { sentences } from '../../src/checking/outcome.ts';
import { articlesIn, brokenIn, checkAll, givenTransport, outcomeOf } from '../support/checked.ts';

function count({ results }: CheckRun, outcome: string): number {
  return results.filter((each) => each.outcome === outcome).length;
}

it('has a check for each sentence of docs/interface.md, in its words', () => {
  const text = readFileSync(new URL('../../docs/interface.md', import.meta.url), 'utf8');
  const written = [...text.matchAll(/^- \*\*(\d+\.\d+)\*\* (.+(?:\n {2}.+)*)/gm)].map(
    ([, number, sentence = '']) => [number, sentence.replaceAll(/\s+/g, ' ')],
  );
  const silent = /^(?:_|\*)silent(?:_|\*) /;
  const said = written.map(([number, sentence = '']) => [number, sentence.replace(silent, '')]);
  expect(Object.fromEntries(said)).toEqual(sentences);
  expect(checks.map(({ number }) => number)).toEqual(written.map(([number]) => number));
  // Where the interface is silent, nothing can be broken.
  const open = written.filter(([, sentence = '']) => silent.test(sentence)).map(([each]) => each);
  const rules = checks.filter(({ kind }) => kind === 'rule').map(({ number }) => number);
  expect(rules.filter((number) => open.includes(number))).toEqual([]);
});

/** 7.5 is told as not checked: nobody gives a second token, of fewer rights. */
const rulesWithOneToken = checks.filter(
  ({ kind, number }) => kind === 'rule' && number !== '7.5',
).length;

it('our own service keeps every rule, in few requests, and nothing stays behind', async () => {
  const anonymous = await givenTransport();
  const run = await checkAll({ anonymous });
  expect(brokenIn(run)).toEqual([]);
  expect({ held: count(run, 'held'), choices: count(run, 'choice') }).toEqual({
    held: rulesWithOneToken,
    choices: checks.filter(({ kind }) => kind === 'choice').length,
  });
  expect(run.requests).toBeLessThan(400);
  expect({ left: run.left, articles: await articlesIn(anonymous) }).toEqual({
    left: [],
    articles: 0,
  });
});

it.each([
  ['pages of ten', { maxPageSize: 10 }],
  ['nothing without a condition', { requirePreconditions: true }],
  ['bodies of a few bytes', { maxBodyBytes: 200 }],
])('also where it takes %s', async (_name, rules) => {
  const change = (plain: Service) => ({ rules: { ...plain.rules, ...rules } });
  const anonymous = await givenTransport(change);
  const run = await checkAll({ anonymous });
  expect(brokenIn(run)).toEqual([]);
  expect(count(run, 'held')).toBe(rulesWithOneToken);
  expect(run.requests).toBeLessThan(400);
  expect(await articlesIn(anonymous)).toBe(0);
});

it('also where it refuses every change: what needs one is not checked', async () => {
  const change = (plain: Service) => ({ rules: { ...plain.rules, readOnly: true } });
  const run = await checkAll({ anonymous: await givenTransport(change) });
  expect(brokenIn(run)).toEqual([]);
  expect(outcomeOf(run, '4.12')).toMatchObject({
    outcome: 'skipped',
    what: 'the service refuses every change (423)',
  });
});

it('reads alone without a token, and changes nothing', async () => {
  const sound = await givenTransport();
  const methods = new Set<string>();
  const run = await checkAll({
    anonymous: (request) => {
      methods.add(request.method);
      return sound(request);
    },
    token: undefined,
  });
  expect(brokenIn(run)).toEqual([]);
  expect([...methods].toSorted()).toEqual(['GET', 'HEAD']);
  expect(outcomeOf(run, '4.12')).toMatchObject({ outcome: 'skipped', what: 'needs --write' });
});
