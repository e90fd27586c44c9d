import { type Hint, inShell, UnusableStore } from '../unusable-store.ts';
import type { Tokens } from '../tokens.ts';
import { type Address, readAddress } from './address.ts';
import { Connector } from './connections.ts';
import { codeOf, lackedRight, type OutageListener, ROOM, wordsOf } from './failures.ts';
import { explained, grantsTo, inWords, type Named } from './in-words.ts';
import { makeBlog, owning, requireOwn, type Running, transaction } from './owner-work.ts';
import { PostgresStore } from './postgres-store.ts';
import { type Ask, foundation, lackedTable, SCHEMA_VERSION, steps, writes } from './sql.ts';
import { type Format, requireFormat, SchemaSeen } from './transaction.ts';
import { WRITE_TIMEOUT_MS } from './write-batches.ts';
import { openTokens } from './tokens.ts';

type PostgresOptions = {
  readonly address: string;
  readonly readOnly?: boolean;
  /** The owner is to do something; else a role serves. */
  readonly asOwner?: boolean;
  /** Of readers; one more writes. */
  readonly connections?: number;
  readonly report?: (notice: string) => void;
  /** How long changes wait for a database that does not answer, in milliseconds. */
  readonly writeTimeoutMs?: number;
};

type OpenedPostgres = {
  readonly store: PostgresStore;
  readonly tokens: Tokens;
  /** `role@host:port/name`. */
  readonly shown: string;
  /** Does work on it; what fails is said in words of a command. */
  readonly explain: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

const OPENING_MS = 3000;
/** Of a statement on the way to an open store: another session may hold what it needs, for good. */
const ASKING_MS = 10_000;

/** Opens the store in a database; throws UnusableOption or UnusableStore. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres> {
  const { report = ignore, readOnly = false, connections = 2 } = options;
  const { writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const address = readAddress(options.address);
  const serving = options.asOwner === true ? undefined : address.user;
  // What is met on the way to a store that is open is thrown.
  let told: (notice: string) => void = ignore;
  const outages = serving === undefined ? undefined : new OutageLog(address, (text) => told(text));
  const standby = readOnly ? (serving === undefined ? 'at-last' : 'as-well') : undefined;
  const shared = { standby, outages, report: once(report) } as const;
  const writer = new Connector(address, shared);
  const readers = Array.from({ length: connections }, () => new Connector(address, shared));
  const open = async () => {
    const until = performance.now() + Math.min(OPENING_MS, writeTimeoutMs);
    const connection = await writer.connection(until);
    const ask: Ask = async (text) =>
      (await connection.query({ text, query_timeout: ASKING_MS })).rows;
    try {
      await requireOwn(address, connection);
      requireFormat((await ask<Format>(writes.format))[0]);
      // A dump of one that is goes into any.
      await requireUnicode(ask);
      if (!readOnly) {
        // Not all poolers let a transaction begin; and nobody is to wait for a standby here.
        for (const text of [
          'BEGIN ISOLATION LEVEL READ COMMITTED',
          writes.undurably,
          writes.forgetWriters,
          'COMMIT',
        ])
          await ask(text);
      }
      const remark = serving === undefined ? ignore : report;
      const lacked = await readSettings(address, ask, remark);
      // Else the first request that needs it would be the one to find out.
      if (serving !== undefined && !readOnly && lacked !== null) throw lackedRight(lacked);
    } catch (error) {
      // An open connection keeps the process from ending.
      connection.destroy();
      throw error;
    }
  };
  const explain = <Result>(work: () => Promise<Result>) => explained(address, work, { serving });
  await explain(open);
  told = report;
  const [reader = writer] = readers;
  const own = owning(address, report);
  const store = new PostgresStore({
    writer,
    readers,
    readOnly,
    writeTimeoutMs,
    outages,
    schema: new SchemaSeen(outages),
    owning: own,
  });
  return { store, tokens: openTokens(reader, own), shown: `postgres://${address.shown}`, explain };
}

type Settings = Readonly<Record<'fsync' | 'pages' | 'lacked', string | null>>;

/** What the server leaves out is said. Answers what keeps a role that serves from a table. */
async function readSettings(
  { shown }: Address,
  ask: Ask,
  report: (notice: string) => void,
): Promise<string | null> {
  const text = `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
    ${lackedTable} AS lacked`;
  const [found] = await ask<Settings>(text);
  if (found?.fsync === 'off')
    report(`${shown} has fsync = off: a crash of its machine loses what was answered.`);
  if (found?.pages === 'off')
    report(`${shown} has full_page_writes = off: a crash of its machine can damage it.`);
  return found?.lacked ?? null;
}

/** Makes the schema and blog 1 in a database that has none; answers the rights of a serving role. */
export async function initPostgres(
  text: string,
  blog: { readonly title: string; readonly description: string },
  report?: Running['report'],
): Promise<{ readonly shown: string; readonly grants: readonly string[] }> {
  const address = readAddress(text);
  const make = async (ask: Ask) => {
    // Who may make no schema is told even so that one is there.
    if (await hasSchema(ask)) throw Object.assign(new Error('It is made.'), { code: '42P06' });
    await makeSchema(ask);
    await makeBlog(ask, blog);
  };
  const look: Hint = `See \`blogctl store check ${inShell(address.given)}\` before you run the same again.`;
  const doubt = { what: 'The store may have been made', look };
  await transaction(address, make, { report, doubt, isShort: true });
  return { shown: address.shown, grants: grantsTo() };
}

/**
 * Brings a schema to this program's version, while instances run: it waits for their batches and
 * they for it. Answers the SQL of the steps that were, or with `dryRun` would be, taken.
 */
export async function upgradePostgres(
  text: string,
  dryRun: boolean,
  report?: Running['report'],
): Promise<readonly string[]> {
  const upgrade = async (ask: Ask) => {
    await ask('LOCK TABLE blogctl.format IN ACCESS EXCLUSIVE MODE');
    const [format] = await ask<Format>(writes.format);
    if ((format?.readable_from ?? 0) > SCHEMA_VERSION) requireFormat(format);
    const missing = steps.slice(format?.version ?? 0);
    if (dryRun) return missing.map(({ sql }) => sql);
    for (const { sql } of missing) await ask(sql);
    if (missing.length > 0) {
      await ask('UPDATE blogctl.format SET version = $1, readable_from = $2', [
        SCHEMA_VERSION,
        steps.at(-1)?.readableFrom,
      ]);
    }
    return missing.map(({ sql }) => sql);
  };
  const address = readAddress(text);
  const look: Hint = `See \`blogctl store upgrade --dry-run ${inShell(address.given)}\`, which says what is left to do.`;
  const doubt = { what: 'It may have been upgraded', look };
  return transaction(address, upgrade, { report, doubt });
}

export async function hasSchema(ask: Ask): Promise<boolean> {
  const [found] = await ask(`SELECT to_regclass('blogctl.format') IS NOT NULL AS made`);
  return found?.['made'] === true;
}

/** The database counts the bytes of texts as they are served: as UTF-8, or without a look at them. */
export async function requireUnicode(ask: Ask): Promise<void> {
  const [{ name } = { name: '' }] = await ask<{ readonly name: string }>(
    `SELECT current_setting('server_encoding') AS name`,
  );
  if (name === 'UTF8' || name === 'SQL_ASCII') return;
  throw new UnusableStore('foreign', `The database is encoded as ${name}, and not as UTF8.`, {
    hint: 'Make another one, by createdb --encoding UTF8 --template template0 <name>, for all that goes into this one.',
  });
}

/** The newest schema, without a blog. */
export async function makeSchema(ask: Ask): Promise<void> {
  await requireUnicode(ask);
  await ask(foundation);
  for (const { sql } of steps) await ask(sql);
  await ask(
    'INSERT INTO blogctl.format (version, readable_from, store) VALUES ($1, $2, gen_random_uuid())',
    [SCHEMA_VERSION, steps.at(-1)?.readableFrom],
  );
}

/**
 * What keeps an instance from its database: said when it begins and when it is over, and not to each
 * request that meets it.
 */
class OutageLog implements OutageListener {
  readonly #address: Named & Pick<Address, 'user'>;
  readonly #report: (notice: string) => void;
  /** By the statement that is refused; of the connection by no name. */
  readonly #met = new Map<string, string>();

  constructor(address: Named & Pick<Address, 'user'>, report: (notice: string) => void) {
    this.#address = address;
    this.#report = report;
  }

  /** Nobody answers, or the role is refused; with a name what lacks for a statement. */
  met(error: unknown, name = ''): void {
    // A server that stops is refused in several ways, and a full disk in each of its files.
    if ((name === '' || name === ROOM) && this.#met.has(name)) return;
    const words = inWords(this.#address, error, this.#address.user);
    if (words === undefined) return;
    const isSaid = [...this.#met.values()].includes(words.message);
    this.#met.set(name, words.message);
    if (!isSaid) this.#report(`${words.message} ${words.hint}`);
  }

  over(name = ''): void {
    const text = this.#met.get(name);
    if (text === undefined) return;
    for (const [other, its] of this.#met) if (its === text) this.#met.delete(other);
    this.#report(name === '' ? `${this.#address.shown} answers again.` : `No longer: ${text}`);
  }

  /** The same statement is refused for as long as something is missing. */
  watched<Answer>(name: string, answer: Promise<Answer>): Promise<Answer> {
    answer.then(
      () => this.over(name),
      (error: unknown) => {
        const isLong = wordsOf(error).startsWith('Query read timeout');
        if (
          isLong ||
          /^(?:42501|42P01|42703|23502|3F000|25006|57014|53[024]00)$/.test(codeOf(error) ?? '')
        )
          this.met(error, name);
      },
    );
    return answer;
  }
}

/** The connections of an instance find the same, each for itself. */
function once(report: (notice: string) => void): (notice: string) => void {
  const told = new Set<string>();
  return (notice) => void (told.has(notice) || (told.add(notice) && report(notice)));
}

function ignore(): void {}
