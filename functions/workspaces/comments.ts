import type { Violation } from '../../shared/errors.ts';

/** The comments in a body, under either name. */
export interface CommentFields {
  readonly comments?: string | null;
  readonly comment?: string | null;
}

/** The comments under whichever name the client sent them. A text counts more than null. */
export const commentsIn = ({ comments, comment }: CommentFields): string | null | undefined =>
  comments ?? comment ?? (comments === undefined ? comment : comments);

/** Refuses a body with a text under both names, because nobody knows which one counts. */
export const oneNameOfComments = ({ comments, comment }: CommentFields): readonly Violation[] =>
  typeof comments !== 'string' || typeof comment !== 'string'
    ? []
    : [{ pointer: '/comment', rule: 'once', message: 'comment is another name of comments: send one of them.' }];
