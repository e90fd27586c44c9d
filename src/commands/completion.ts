import { Argument, type Command, type Option } from 'commander';
import type { Context } from './context.ts';
import { printableLine } from '../terminal/text.ts';
import { findCommand, LazyCommand, rootOf } from './lazy-command.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];

export function define(command: Command, context: Context, run = printScript): void {
  command
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(blogctl completion bash)' >> ~/.bashrc
  blogctl completion zsh > "\${fpath[1]}/_blogctl"
  blogctl completion fish > ~/.config/fish/completions/blogctl.fish
  blogctl completion powershell >> $PROFILE`,
    )
    .action((shell: Shell) => run(shell, context));
}

/** Prints a script that asks blogctl itself what may stand at the cursor. */
async function printScript(shell: Shell, { terminal }: Context): Promise<void> {
  await terminal.write(scripts[shell]);
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `_blogctl() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("$value")
  done < <(blogctl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _blogctl blogctl
`,

  zsh: `#compdef blogctl
_blogctl() {
  local line
  local -a candidates
  for line in "\${(@f)$(blogctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( \${#candidates} )) && _describe blogctl candidates || _files
}
if [ "$funcstack[1]" = "_blogctl" ]; then _blogctl "$@"; else compdef _blogctl blogctl; fi
`,

  fish: `function __blogctl_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found
  if test -z "$current"
    set found (blogctl __complete --new-word -- $words[2..-1] 2>/dev/null)
  else
    set found (blogctl __complete -- $words[2..-1] $current 2>/dev/null)
  end
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path $current
  end
end
complete -c blogctl -f -a '(__blogctl_complete)'
`,

  powershell: `Register-ArgumentCompleter -Native -CommandName blogctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  $flags = if ($wordToComplete -eq '') { @('--new-word') } else { @() }
  blogctl __complete @flags '--' @words 2>$null | ForEach-Object {
    $value, $summary = $_ -split "\`t", 2
    if (-not $summary) { $summary = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $summary)
  }
}
`,
};

type CompleteOptions = {
  readonly words: readonly string[];
  /** The cursor stands after a space: a new word begins. */
  readonly newWord?: boolean;
};

export function defineComplete(command: Command, context: Context, run = complete): void {
  command
    .argument('[text...]', 'the words after blogctl, up to the cursor')
    .option('--new-word', 'the next word has not begun yet')
    .action((words: readonly string[], options: { newWord?: boolean }) =>
      run({ ...options, words }, command, context),
    );
}

type Candidate = { readonly value: string; readonly summary: string };

/** What may stand at the cursor: a line each, the value and after a tab what it is. */
export async function complete(
  { words, newWord }: CompleteOptions,
  command: Command,
  context: Context,
): Promise<void> {
  const typed = newWord === true ? words : words.slice(0, -1);
  // `help articles get`: what it is about is named as it is called.
  const before = typed[0] === 'help' ? typed.slice(1) : typed;
  const last = newWord === true ? '' : (words.at(-1) ?? '');
  const [, joined = '', value = last] = /^(--[^=]+=)(.*)$/s.exec(last) ?? [];
  // bash parts a word at each =, and completes what stands behind it.
  const begun = value === '=' ? '' : value;
  const place = await findPlace(
    rootOf(command),
    joined === '' ? before : [...before, joined.slice(0, -1)],
  );
  const candidates = (await candidatesAt(place, begun, context)).filter((each) =>
    each.value.startsWith(begun),
  );
  if (candidates.length === 0) return;
  const lines = candidates.map((each) =>
    [joined + each.value, each.summary].map(printableLine).join('\t'),
  );
  await context.terminal.write(`${lines.join('\n')}\n`);
}

type Cursor = {
  readonly command: Command;
  /** The flag whose value stands at the cursor. */
  readonly flag?: Option;
  /** How many arguments stand before the cursor. */
  readonly given: number;
};

async function findPlace(root: Command, words: readonly string[]): Promise<Cursor> {
  let command = root;
  let flag: Option | undefined;
  let given = 0;
  for (const word of words) {
    if (flag !== undefined) {
      if (word !== '=') flag = undefined;
      continue;
    }
    const next = findCommand(command, word);
    if (next !== undefined) {
      command = next;
      if (command instanceof LazyCommand) await command.defineNow();
    } else if (word.startsWith('-')) {
      const named = flagsOf(command).find(({ long, short }) => word === long || word === short);
      flag = named?.required === true ? named : undefined;
    } else given += 1;
  }
  return { command, given, ...(flag && { flag }) };
}

function flagsOf(command: Command): readonly Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent === null ? own : [...own, ...flagsOf(command.parent)];
}

async function candidatesAt(
  { command, flag, given }: Cursor,
  begun: string,
  context: Context,
): Promise<readonly Candidate[]> {
  if (flag !== undefined) return valuesOf(flag, context);
  if (begun.startsWith('-')) {
    return flagsOf(command).map((each) => ({
      value: each.long ?? each.short ?? '',
      summary: each.description,
    }));
  }
  const shown = command.createHelp().visibleCommands(command);
  if (shown.length > 0) {
    return shown.map((each) => ({ value: each.name(), summary: each.description() }));
  }
  const all = command.registeredArguments;
  const argument = all[given] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  if (argument === undefined) return [];
  if (argument.argChoices !== undefined) return argument.argChoices.map(bare);
  if (command.parent?.name() === 'profile') return profileNames(context);
  if (argument.name() === 'run') return runIds(context);
  return argument.name() === 'article' ? articleIds(context) : [];
}

async function valuesOf(flag: Option, context: Context): Promise<readonly Candidate[]> {
  if (flag.long === '--profile') return profileNames(context);
  return (flag.argChoices ?? []).map(bare);
}

function bare(value: string): Candidate {
  return { value, summary: '' };
}

async function profileNames(context: Context): Promise<readonly Candidate[]> {
  const { profiles } = await (await context.config()).read();
  return Object.entries(profiles).map(([value, { blog = '' }]) => ({ value, summary: blog }));
}

async function runIds(context: Context): Promise<readonly Candidate[]> {
  const { leastOfId, listRuns } = await import('../importing/runs/runs.ts');
  const { dataFolder } = await import('../settings/target.ts');
  const { inBrief } = await import('./runs.ts');
  const runs = await listRuns(dataFolder(context));
  return runs.map((run) => ({ value: run.id.slice(0, leastOfId), summary: inBrief(run) }));
}

/** One page of articles, asked for once; a Tab waits for nothing and complains about nothing. */
async function articleIds(context: Context): Promise<readonly Candidate[]> {
  try {
    const client = await context.client({ retries: 0, timeoutMs: 1000 });
    for await (const { articles } of client.pages({ pageSize: 50 })) {
      return articles.map(({ id, title }) => ({ value: `${id}`, summary: title }));
    }
  } catch {
    // No blog, no answer, no ids.
  }
  return [];
}
