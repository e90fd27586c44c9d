import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLoop } from './kill-loop.ts';

/** node program.mjs <writer program> <kills>: says on stdout what the kills found. */
const [writer = '', kills = '1000'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'blogctl-kills-'));
const outcome = await killLoop(folder, writer, Number(kills));
process.stdout.write(`${JSON.stringify(outcome)}\n`);
process.exitCode = outcome.broken.length > 0 ? 1 : 0;
await rm(folder, { recursive: true });
