import type { Validators } from '../client/blog-client.ts';
import type { ActionKind, Base } from './decide.ts';
import type { Post } from './folder.ts';
import type { StateLine } from './state-file.ts';

/** What an action was decided on; it is carried out only while that is so. */
export type Pin = Validators & {
  /** Of the article's text, where the service names no versions. */
  readonly digest?: string;
  /** sha256 of the bytes of the file. */
  readonly file?: string;
};

/** One line of a plan, without any text of an article. */
export type Action = {
  readonly action: ActionKind;
  /** Below the folder; absent for an article that is not from here. */
  readonly path?: string;
  readonly id?: number;
  readonly url?: string;
  readonly reason?: string;
  readonly base?: Base;
  /** Of a renamed file, both below the folder. */
  readonly from?: string;
  readonly to?: string;
  /** Gone here, and edited there. */
  readonly edited?: boolean;
  /** Articles that look like the post. */
  readonly candidates?: readonly number[];
  /** Digests of the text on the blog and of the text in the file. */
  readonly before?: string;
  readonly after?: string;
  readonly lines?: { readonly added: number; readonly removed: number };
  readonly pin?: Pin;
};

/** The article as it was read when its action was decided. */
export type Target = {
  readonly id: number;
  readonly url: string;
  readonly text: { readonly title: string; readonly content: string };
  readonly digest: string;
  readonly validators: Validators;
};

/** An action with what is needed to carry it out. */
export type Step = {
  readonly action: Action;
  readonly post?: Post;
  readonly target?: Target;
  /** The digest of the article as the listing shows it. */
  readonly stored?: string;
  readonly line?: StateLine;
  /** Of the key to create it under. */
  readonly generation?: number;
};

/** Whether anything is written to the blog for it. */
export function writes({ action }: Action): boolean {
  return action === 'create' || action === 'update' || action === 'delete';
}

/** Left alone until somebody decides; a run that leaves one is not whole. */
export function isRefused({ action }: Action): boolean {
  return action === 'conflict' || action === 'unverified' || action === 'suggestion';
}
