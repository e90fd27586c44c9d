import { type Command, Option } from 'commander';
import type { Context } from '../context/context.ts';
import { BlogctlError } from '../errors.ts';
import { names } from './arguments.ts';

export type CheckFlags = {
  readonly write?: boolean;
  /** Numbers of sentences, or of whole sections. */
  readonly only?: readonly string[];
  readonly allow?: string;
  readonly list?: boolean;
};

type Run = (flags: CheckFlags, context: Context) => Promise<void>;

export function define(command: Command, context: Context, run: Run = runCheck): void {
  command
    .argument('[blog-url]', 'address of the blog, like https://host/api/v1.2/blogs/1')
    .option('--write', 'also make, change and delete articles of its own; needs a token')
    .option('--only <numbers>', 'only these sentences or sections, such as 4.2,7', names)
    .option('--allow <file>', 'a file of numbers of known failures, one a line')
    .addOption(
      new Option('--list', 'list the sentences, ask nothing').conflicts(['write', 'allow']),
    )
    .addHelpText(
      'after',
      `
Says which sentences of the interface (docs/interface.md) a service keeps, and what it does
where the interface is silent. It only reads; with --write it makes articles of one name,
works on them alone and deletes them, after Ctrl-C too. Ends with 11 where a rule is broken
that the file of --allow does not name. --format tap and junit are for CI, md for a README;
in a pipe it is JSON.

Examples:
  blogctl check https://blog.example/api/v1.2/blogs/1
  blogctl check http://127.0.0.1:8080/api/v1.2/blogs/1 --write --only 4.9,7
  blogctl check https://blog.example/api/v1.2/blogs/1 --format junit -o report.xml --overwrite
  blogctl check --list`,
    )
    .action((blogUrl: string | undefined, flags: CheckFlags) => {
      if (blogUrl !== undefined) chooseBlog(command, blogUrl);
      else if (flags.list !== true) requireChosen(context);
      return run(flags, context);
    });
}

/** The argument is the blog of this run, as --blog would name it. */
function chooseBlog({ parent }: Command, blogUrl: string): void {
  if (parent?.getOptionValue('blog') !== undefined) {
    throw new BlogctlError('usage', 'Two blogs are named: an address and --blog.', {
      hint: 'Leave one of them out.',
    });
  }
  parent?.setOptionValue('blog', blogUrl);
}

/** A service is named, not guessed from a login or a project. */
function requireChosen({ flags }: Context): void {
  if (flags.blog !== undefined || flags.profile !== undefined) return;
  throw new BlogctlError('usage', 'No service is named.', {
    hint: 'Give its address: https://host/api/v1.2/blogs/1, for example; --list needs none.',
  });
}

async function runCheck(flags: CheckFlags, context: Context): Promise<void> {
  const { checkService } = await import('./run-check.ts');
  await checkService(flags, context);
}
