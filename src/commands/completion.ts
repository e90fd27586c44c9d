import { Argument, type Command } from 'commander';
import type { Context } from '../context/context.ts';

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
export async function printScript(shell: Shell, { terminal }: Context): Promise<void> {
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
  if test -z "$current"
    blogctl __complete --new-word -- $words[2..-1] 2>/dev/null
  else
    blogctl __complete -- $words[2..-1] $current 2>/dev/null
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
