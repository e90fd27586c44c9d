export type Step = {
  readonly command: string;
  /** What a terminal shows of it; undefined where the page shows only what is typed. */
  readonly expected: string | undefined;
};

/**
 * What a page of Markdown asks its reader to type: each command of a `console` block with what it shows,
 * each `sh` block as a whole, but for its lines that serve.
 */
export function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^ *```(console|sh)\n([\s\S]*?)^ *```$/gm)];
  return blocks.flatMap(([, kind, text = '']) => (kind === 'sh' ? scripts(text) : shown(text)));
}

function shown(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...lines] = step.split('\n');
      return { command, expected: lines.join('\n').trim() };
    });
}

/** A line that serves goes on while those behind it are typed in another terminal. */
function scripts(text: string): Step[] {
  const parts = text.split(/^((?:\w+=\S+ )?blogctl serve(?:\\\n|.)*)\n/m);
  return parts
    .map((command) => ({ command: command.trim(), expected: undefined }))
    .filter(({ command }) => command !== '');
}

/** `…` stands for anything within a line, and alone in its line for any lines. */
export function patternOf(expected: string): RegExp {
  const lines = expected.split('\n').map((line) => {
    if (line === '…') return String.raw`[\s\S]*?`;
    return `${line.split('…').map(escaped).join('.*')}(?:\\n|$)`;
  });
  return new RegExp(`^${lines.join('')}\\s*$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
