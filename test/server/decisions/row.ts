import type { Service } from '../../../server/app.ts';
import type { TestService } from '../../support/service.ts';

/** One claim of docs/decisions.md, by its number. */
export type Row = {
  readonly row: number;
  readonly claim: string;
  /** Articles `Title 1` to `Title n` are there before. */
  readonly articles?: number;
  /** What the operator asked for. */
  readonly asked?: (plain: Service) => Partial<Service>;
  readonly holds: (service: TestService) => Promise<void>;
};

export const draft = { title: 'T', content: 'C' };
