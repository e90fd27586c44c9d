// oxlint-disable no-underscore-dangle -- the names are HAL's
import { setTimeout as pause } from 'node:timers/promises';
import { givenFolder, givenService, type Service } from '../../../support/command.ts';

/** A `blogctl serve` of its own on a database, as behind a balancer: all have one address. */
export async function givenInstance(address: string): Promise<Service> {
  const words = ['--store', address, '--port', '0', '--trust-proxy', '127.0.0.1'];
  return givenService(await givenFolder(), words);
}

export type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** When to come again. */
  readonly retryAfter: string | null;
};

/** A client gives up then. */
const PATIENCE_MS = 30_000;

/** What clients of several instances were told, and what must therefore be there. */
export class Clients {
  readonly #titles = new Map<string, string>();
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async send(url: string, sent: Sent = {}): Promise<Answer> {
    const headers = {
      'x-access-token': this.#token,
      'x-forwarded-host': 'localhost',
      'content-type': 'application/json',
    };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(url, { ...sent, signal, headers: { ...headers, ...sent.headers } });
    const text = await answer.text();
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, headers: answer.headers, text, retryAfter };
  }

  /** A new article of that title, which is its key as well; once. */
  async post(blogUrl: string, title: string): Promise<Answer> {
    const body = JSON.stringify({ title, content: '' });
    const headers = { 'idempotency-key': JSON.stringify(title) };
    const answer = await this.send(`${blogUrl}/articles`, { method: 'POST', headers, body });
    if (answer.status === 201) this.#titles.set(answer.headers.get('location') ?? '', title);
    return answer;
  }

  /** The same, until it is made. */
  async make(blogUrl: string, title: string): Promise<void> {
    for (;;) {
      const { status, text } = await this.post(blogUrl, title);
      if (status === 201) return;
      if (status < 500) throw new TypeError(text);
      await pause(100);
    }
  }

  /** What is lost, doubled or left out, in words. */
  async broken(blogUrl: string): Promise<readonly string[]> {
    const { text } = await this.send(`${blogUrl}/articles?pageSize=1000`);
    const page: Page = JSON.parse(text);
    const found = page._embedded.map(({ _links: { self }, title, id }) => ({ self, title, id }));
    return [
      ...[...this.#titles].flatMap(([href, title]) =>
        found.some((one) => one.self.href === href && one.title === title) ? [] : [`${title} lost`],
      ),
      ...found.flatMap(({ self, title }) =>
        this.#titles.get(self.href) === title ? [] : [`${title} was never answered`],
      ),
      ...found.flatMap(({ id }, at) => (id === at + 1 ? [] : [`${at + 1} is left out`])),
    ];
  }
}

type Page = {
  readonly _embedded: readonly {
    readonly id: number;
    readonly title: string;
    readonly _links: { readonly self: { readonly href: string } };
  }[];
};
