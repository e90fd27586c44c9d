import type { Argument, Command, Option } from 'commander';
import type { Context } from './context.ts';
import { environment, exitCodes } from './help.ts';
import { defineTree, leavesOf, rootOf, scopeOf } from './lazy-command.ts';

export function define(command: Command, context: Context, run = describeCommands): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  blogctl commands
  blogctl commands --json | jq '.commands[].name'`,
    )
    .action(() => run(command, context));
}

/** The whole command line as data: commands, arguments, flags, variables and exit codes. */
async function describeCommands(command: Command, { terminal }: Context): Promise<void> {
  const root = rootOf(command);
  await defineTree(root);
  const commands = leavesOf(root).map(describe);
  if (terminal.format === 'json') {
    const document = {
      name: root.name(),
      flags: root.options.filter(isShown).map(describeFlag),
      commands,
      environment,
      exitCodes: exitCodes(),
    };
    return terminal.show({ one: document, columns: ['name'] });
  }
  await terminal.show({
    many: commands,
    columns: ['name', 'summary'],
    fields: ['name', 'summary', 'arguments', 'flags'],
    id: 'name',
  });
}

function describe(command: Command) {
  return {
    name: scopeOf(command),
    summary: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    flags: command.options.filter(isShown).map(describeFlag),
  };
}

function describeArgument(argument: Argument) {
  const { description, required, variadic, argChoices: choices } = argument;
  return { name: argument.name(), description, required, variadic, ...(choices && { choices }) };
}

function isShown({ hidden }: Option): boolean {
  return !hidden;
}

function describeFlag(option: Option) {
  const { flags, description, argChoices, defaultValue, required } = option;
  return {
    flags,
    description,
    takesValue: required,
    ...(argChoices && { choices: argChoices }),
    ...(defaultValue !== undefined && { default: defaultValue as unknown }),
  };
}
