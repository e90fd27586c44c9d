import { CONTENT, median } from './setting.ts';

type Statement = { run(...values: unknown[]): unknown; all(...values: unknown[]): unknown[] };
type Database = {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
};
type Sqlite = { readonly DatabaseSync: new (path: string) => Database };

/** Node's own SQLite; undefined where this Node has none. */
export function sqlite(): Sqlite | undefined {
  const found = process.getBuiltinModule('node:sqlite');
  return found !== undefined && isSqlite(found) ? found : undefined;
}

function isSqlite(module: object): module is Sqlite {
  return 'DatabaseSync' in module;
}

/** Milliseconds SQLite takes for a page anywhere, found the usual way: by OFFSET. */
export function sqlitePageMs(
  { DatabaseSync }: Sqlite,
  path: string,
  { articles, page }: { readonly articles: number; readonly page: number },
): number {
  const database = new DatabaseSync(path);
  try {
    fill(database, articles);
    const select = database.prepare('SELECT * FROM articles ORDER BY id LIMIT ? OFFSET ?');
    const times = Array.from({ length: 15 }, () => {
      const start = performance.now();
      select.all(page, Math.floor(Math.random() * (articles - page)));
      return performance.now() - start;
    });
    return median(times);
  } finally {
    database.close();
  }
}

function fill(database: Database, articles: number): void {
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
  database.exec('CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT, content TEXT)');
  const insert = database.prepare('INSERT INTO articles (title, content) VALUES (?, ?)');
  database.exec('BEGIN');
  for (let id = 1; id <= articles; id += 1) insert.run(`Title ${id}`, CONTENT);
  database.exec('COMMIT');
}
