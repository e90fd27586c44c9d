import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';

export type KillOutcome = {
  readonly kills: number;
  readonly acknowledged: number;
  /** Kills after which the file was JSON before anything mended it. */
  readonly validJson: number;
  readonly broken: readonly string[];
};

type State = string | null;
type Attempt = { readonly id: number; readonly state: State };

/** Kills a process that writes, again and again, and holds the file against what it was told. */
export async function killLoop(
  folder: string,
  program: string,
  kills: number,
): Promise<KillOutcome> {
  const path = join(folder, 'blog.json');
  await createJsonFile(path, { title: 'Blog', description: '' });
  const known = new Map<number, State>();
  const outcome = { kills: 0, acknowledged: 0, validJson: 0, broken: new Array<string>() };
  for (; outcome.kills < kills && outcome.broken.length === 0; outcome.kills += 1) {
    const lines = await killedWriter(program, path);
    const inFlight = learn(known, lines);
    outcome.acknowledged += lines.filter((line) => line.startsWith('["ack"')).length;
    if (await isJson(path)) outcome.validJson += 1;
    outcome.broken.push(...(await differences(folder, known, inFlight)));
  }
  return outcome;
}

/** The lines a writer wrote until it was killed, some milliseconds after some acknowledgements. */
async function killedWriter(program: string, path: string): Promise<string[]> {
  const writer = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  writer.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const gone = once(writer.stdout, 'close');
  const enough = 4 + Math.random() * 30;
  while (text.split('["ack"').length <= enough) {
    await Promise.race([once(writer.stdout, 'data'), gone]);
    if (writer.exitCode !== null) throw new Error(`the writer ended with ${writer.exitCode}`);
  }
  await pause(Math.random() * 10);
  writer.kill('SIGKILL');
  await gone;
  return text.split('\n').slice(0, -1);
}

/** Takes in what was acknowledged; answers what was still in flight. */
function learn(known: Map<number, State>, lines: readonly string[]): Attempt[] {
  const inFlight = new Map<number, Attempt>();
  for (const line of lines) {
    const [word, number, id, state]: [string, number, number, State] = JSON.parse(line);
    if (word === 'try') inFlight.set(number, { id, state });
    else inFlight.delete(number);
    if (word === 'ack') known.set(id, state);
  }
  return [...inFlight.values()];
}

async function isJson(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8');
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Opens a copy, lock included, so that the next writer meets what the kill left. */
async function differences(
  folder: string,
  known: Map<number, State>,
  inFlight: readonly Attempt[],
): Promise<string[]> {
  const copy = join(folder, 'copy');
  await mkdir(copy);
  for (const name of ['blog.json', 'blog.json.lock'])
    await cp(join(folder, name), join(copy, name));
  const store = await openJsonFile({ path: join(copy, 'blog.json') });
  const found = new Map<number, State>();
  const { total } = await store.page(1, 0, 1);
  for (const { id, json } of (await store.page(1, 0, total)).articles)
    found.set(id, json.toString());
  await store.close();
  await rm(copy, { recursive: true });
  return compare(known, inFlight, found);
}

function compare(
  known: Map<number, State>,
  inFlight: readonly Attempt[],
  found: ReadonlyMap<number, State>,
): string[] {
  const broken: string[] = [];
  const created = new Set(inFlight.filter(({ id }) => id === 0).map(({ state }) => state));
  for (const id of new Set([...known.keys(), ...found.keys()])) {
    const state = found.get(id) ?? null;
    const attempts = inFlight
      .filter((attempt) => attempt.id === id)
      .map((attempt) => attempt.state);
    const isNew = !known.has(id) && created.has(state?.replace(/^\{"id":\d+/, '{"id":0') ?? null);
    if (known.get(id) !== state && !attempts.includes(state) && !isNew) {
      broken.push(
        `article ${id} is ${String(state).slice(0, 60)}, not ${String(known.get(id)).slice(0, 60)}`,
      );
    }
    known.set(id, state);
  }
  return broken;
}
