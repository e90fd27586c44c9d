import type { BlogClient } from '../../client/blog-client.ts';
import type { BlogctlError } from '../../errors.ts';
import type { KeyedRecord } from '../identity/keyed-entries.ts';
import type { Patience } from './patience.ts';

/** What becomes of a record that is known with another text (decisions 48). */
export type OnChanged = 'fail' | 'skip';

/** What a delivery works with. */
export type Means = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly onChanged: OnChanged;
  /** Create again what was deleted on the blog (decisions 49). */
  readonly recreate: boolean;
  /** The blog says how to find an article by its key (decisions 51). */
  readonly findsByKey: boolean;
  /** Somebody wants to know the ids of what was created. */
  readonly wantsIds: boolean;
};

type Stored = {
  readonly id?: number;
  readonly title: string;
  readonly content?: string;
  readonly url: string;
};

/** What became of one record. */
export type Outcome =
  | { readonly kind: 'created'; readonly article: Stored }
  /** The blog had it already, from this import. */
  | { readonly kind: 'replayed'; readonly article?: Stored }
  | { readonly kind: 'skipped'; readonly reason: 'changed' | 'deleted' }
  | {
      readonly kind: 'rejected';
      readonly class: 'refused' | 'changed' | 'failed';
      readonly status?: number | undefined;
      readonly message: string;
    }
  /**
   * No answer came, and nobody can say yet whether it was created. `failure` ends the run: the
   * service is still silent.
   */
  | { readonly kind: 'inDoubt'; readonly failure?: BlogctlError };

/** Brings one record to the blog. Throws what ends the whole run: 401, 403, 404, no service. */
export type Delivery = (record: KeyedRecord, signal: AbortSignal) => Promise<Outcome>;
