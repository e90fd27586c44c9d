// A real terminal (tmux) with the built command in it, for what is shown of it in docs/.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

/** A folder that is home to a user who has `blogctl`, and the variables of its terminals. */
export function makeHome() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'b-')));
  mkdirSync(join(folder, 'bin'));
  const script = (name, text) => {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  };
  script('blogctl', `exec '${process.execPath}' '${bin}' "$@"`);
  const env = {
    PATH: `${folder}/bin:${process.env.PATH}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    PAGER: 'cat',
    BLOGCTL_SERVE_TOKEN: 'bct_for_screens_only',
    BLOGCTL_TOKEN: 'bct_for_screens_only',
  };
  return { folder, env, script };
}

let opened = 0;

/** Opens a terminal with a prompt and nothing else on it. */
export function openTerminal({ columns, rows, folder, env }) {
  opened += 1;
  const socket = `blogctl-screens-${process.pid}-${opened}`;
  const tmux = (...words) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { env, encoding: 'utf8' });
  const type = (line) => {
    tmux('send-keys', '-t', 'screen', '-l', line);
    tmux('send-keys', '-t', 'screen', 'Enter');
  };
  const look = (...words) => tmux('capture-pane', '-p', ...words, '-t', 'screen');
  const ended = () => tmux('wait-for', 'ready');
  /** The same, while others look at the screen. */
  const rest = () =>
    promisify(execFile)('tmux', ['-L', socket, '-f', '/dev/null', 'wait-for', 'ready'], { env });
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', '-s', 'screen', ...size, '-c', folder, 'bash --norc --noprofile');
  type("PS1='$ ' PROMPT_COMMAND='tmux wait-for -S ready'; clear");
  ended();
  while (look().trim() !== '$') continue;
  return { type, look, ended, rest, close: () => tmux('kill-server') };
}
