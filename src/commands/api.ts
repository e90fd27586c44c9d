import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Answer, Message } from '../client/exchange.ts';
import type { Connection, Context } from './context.ts';
import { BlogctlError, type Hint } from '../errors.ts';
import type { ParsedJson } from '../hal/document.ts';
import { asPaths } from '../settings/target.ts';
import { inShell } from '../terminal/text.ts';
import type { Fields } from '../terminal/view.ts';
import { several } from './arguments.ts';

type ApiFlags = {
  readonly follow?: readonly string[];
  readonly method?: string;
  /** Names and values of -F. */
  readonly value?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Header fields by name in lower case. */
  readonly header?: Readonly<Record<string, string>>;
  readonly paginate?: boolean;
  readonly include?: boolean;
};

type ApiOptions = ApiFlags & { readonly place?: string };

export function define(command: Command, context: Context, run = callApi): void {
  command
    .argument('[place-or-rel]', 'URL, path, relation or articles/7 (default: the blog itself)')
    .option('--follow <rel>', 'follow this relation; repeatable, rel[1] for the second', several)
    .option(
      '-X, --method <method>',
      'the request method (default: GET, with --input POST)',
      methodName,
    )
    .addOption(
      new Option(
        '-F, --value <name=value>',
        'a template value of a GET, else a member of the body; @file or @- reads it',
      )
        .argParser(pairs)
        .conflicts('input'),
    )
    .option('-H, --header <name: value>', 'a header field of the request; repeatable', fields)
    .option('--input <file>', 'the body as JSON, from a file or - for stdin')
    .addOption(
      new Option('--paginate', 'every page from here on, as one list').conflicts([
        'input',
        'method',
      ]),
    )
    .option('-i, --include', 'the status and header fields too')
    .addHelpText(
      'after',
      `
Examples:
  blogctl api
  blogctl api --follow doc:articles -F pageSize=5
  blogctl api doc:articles --paginate --jq '.[].title'
  blogctl api /api/v1.2/blogs/1/articles/7 -X PUT -F title=New -F content=Text -i
  blogctl api articles/7 -X DELETE -H 'If-Match: "7-x"'`,
    )
    .action((place: string | undefined, flags: ApiFlags) =>
      run({ ...flags, ...(place !== undefined && { place }) }, context),
    );
}

/** One request of your own, or a walk along links with one at its end. */
async function callApi(options: ApiOptions, context: Context): Promise<void> {
  const { byCommand, namedHere, walk } = await import('./links.ts');
  const { exchange } = await import('../client/exchange.ts');
  const { place, follow = [] } = options;
  const message = await messageOf(options, context);
  const connection = await context.connection();
  const isRead = message.method === 'GET' || message.method === 'HEAD';
  const steps = place === undefined ? follow : [place, ...follow];
  const values = isRead ? options.value : undefined;
  const url = await walk({ steps, ...(values && { values }) }, connection);
  if (options.paginate === true) return showEveryPage(url, connection, context);
  const request = { ...message, url, ...(options.header && { headers: options.header }) };
  const answer = await exchange(connection.transport, request).catch((error: unknown) => {
    const told = explained(error, options, message);
    throw isMissing(told)
      ? namedHere(told, place)
      : byCommand(told, { ...options, ...message }, context);
  });
  await showAnswer(answer, options, context).catch((thrown: unknown) => {
    throw ofPage(thrown, options, context);
  });
  if (isRead) await warnOfPassedOver(url, answer, context);
}

/** A document tells by its own link what was answered: what is asked for and not in it made no difference. */
async function warnOfPassedOver(url: string, answer: Answer, context: Context): Promise<void> {
  const asked = [...new URL(url).searchParams.keys()];
  if (asked.length === 0 || answer.isEmpty || !isJson(answer)) return;
  const { findLink } = await import('../hal/links.ts');
  const document = answer.document();
  const self = findLink(document, 'self');
  // What another service writes there may be no address.
  if (self === undefined || self.templated || !URL.canParse(self.href, document.url)) return;
  const answered = new URL(self.href, document.url);
  const others = asked
    .filter((name) => !answered.searchParams.has(name))
    .map((name) => `"${name}"`);
  if (others.length === 0) return;
  const isOfList = findLink(document, 'firstPage') !== undefined;
  const more = isOfList ? ' `blogctl articles list` takes --search, --sort and --fields.' : '';
  await context.terminal.warn(
    `The service passed over ${others.join(' and ')}: its answer calls itself ${asPaths(answered.href)}.${more}`,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof BlogctlError && error.code === 'not-found';
}

/** What a refusal of a request of one's own is about, where that is seen in the line. */
function explained(error: unknown, { header }: ApiOptions, { method, body }: Omit<Message, 'url'>) {
  if (!(error instanceof BlogctlError)) return error;
  const { status } = error.context;
  const isBodiless = body === undefined && /^(?:POST|PUT)$/.test(method);
  let hint: Hint | undefined;
  if (status === 406 && header?.['accept'] !== undefined)
    hint = 'Leave the Accept out: what a blog service answers is application/hal+json.';
  else if (status === 422 && body?.startsWith('[') === true)
    hint = 'One article is sent at a time: `blogctl articles import <file>` takes a list.';
  else if (status !== undefined && status < 500 && isBodiless)
    hint = 'It has no body: give one by --input <file>, - for stdin, or its members by -F.';
  return hint ? new BlogctlError(error.code, error.message, { ...error.context, hint }) : error;
}

async function messageOf(options: ApiOptions, context: Context): Promise<Omit<Message, 'url'>> {
  const { input, value, method = input === undefined ? 'GET' : 'POST' } = options;
  if (input !== undefined) {
    const { readInputText } = await import('./articles/draft-input.ts');
    const { parseJson } = await import('../hal/document.ts');
    const text = await readInputText(input, context);
    return {
      method,
      body: JSON.stringify(valueOf(parseJson(Buffer.from(text)), input === '-' ? 'stdin' : input)),
    };
  }
  if (method === 'GET' || method === 'HEAD' || value === undefined) return { method };
  return { method, body: JSON.stringify(await readMembers(value, context)) };
}

/** `@post.md` is what stands in that file, and `@-` stdin, as gh has it. */
async function readMembers(values: Readonly<Record<string, string>>, context: Context) {
  const { readInputText } = await import('./articles/draft-input.ts');
  const members: Record<string, string> = {};
  for (const [name, text] of Object.entries(values)) {
    members[name] = text.startsWith('@') ? await readInputText(text.slice(1), context) : text;
  }
  return members;
}

function valueOf(parsed: ParsedJson, name: string): unknown {
  if ('value' in parsed) return parsed.value;
  throw new BlogctlError('unusable-input', `${name} is ${parsed.defect ?? 'not JSON'}.`, {
    hint: 'A body is one JSON document.',
    cause: parsed.cause,
  });
}

async function showEveryPage(url: string, connection: Connection, context: Context): Promise<void> {
  const { walkDocuments } = await import('../client/pages.ts');
  const { exchange } = await import('../client/exchange.ts');
  const read = async (address: string) =>
    (await exchange(connection.transport, { method: 'GET', url: address })).document();
  const pager = {
    read,
    addressOf: (pageIndex: number, pageSize: number) => {
      const next = new URL(url);
      next.searchParams.set('pageIndex', String(pageIndex));
      next.searchParams.set('pageSize', String(pageSize));
      return next.href;
    },
  };
  async function* members(): AsyncGenerator<Fields, void, void> {
    for await (const page of walkDocuments(pager, url)) yield* page.members.map(followable);
  }
  await context.terminal.show({ many: members(), columns: ['id', 'title'], isDocument: true });
}

async function showAnswer(
  answer: Answer,
  { include }: ApiOptions,
  { terminal }: Context,
): Promise<void> {
  if (include === true) {
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\n`);
    await terminal.write(`HTTP/1.1 ${answer.status}\n${asPaths(lines.join(''))}\n`);
  }
  if (answer.isEmpty) return;
  if (!isJson(answer)) return terminal.write(answer.text());
  const body = followable(answer.document().body);
  await terminal.show({ one: body, columns: Object.keys(body), isDocument: true });
}

/** A filter that takes a list, as others answer one, has it of all pages. */
function ofPage(error: unknown, { place = '', value, follow }: ApiOptions, { flags }: Context) {
  const { jq = '', blog, profile } = flags;
  const isOther = [value, follow, blog, profile, place.replace(/^\/?articles$/, '')].some(Boolean);
  if (!(error instanceof BlogctlError) || !jq.startsWith('.[') || isOther || !place) return error;
  const hint: Hint = `A page is an object, and all of them one list: run \`blogctl api articles --paginate --jq ${inShell(jq)}\`.`;
  return new BlogctlError(error.code, error.message, { ...error.context, hint });
}

/** With links that can be followed from a shell: those of a file that nobody serves as paths. */
function followable<T extends Fields>(body: T): T {
  const shown = (name: string, value: unknown) =>
    name === 'href' && typeof value === 'string' ? asPaths(value) : value;
  return JSON.parse(JSON.stringify(body), shown);
}

function isJson({ headers }: Answer): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');
}

/** RFC 9110, 5.1 and 5.5. */
const field = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\u0020-\u007e\u0080-\u00ff]*?)[ \t]*$/;

/** What frames a message or rules a connection is not for a request to say (RFC 9110, 7.6.1; RFC 9112, 6). */
const ofConnection =
  /^(?:connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

function methodName(text: string): string {
  if (/^[!#$%&'*+.^`|~\w-]+$/.test(text) && !/^connect$/i.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('A method is one word, as GET, PUT or DELETE.');
}

function fields(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value = ''] = field.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Write it as "Name: value".');
  if (ofConnection.test(name)) {
    throw new InvalidArgumentError(`${name} is of the connection, which sends its own.`);
  }
  return { ...previous, [name.toLowerCase()]: value };
}

function pairs(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.');
  return { ...previous, [text.slice(0, at)]: text.slice(at + 1) };
}
