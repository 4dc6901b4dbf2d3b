import type { Violation } from '../../shared/errors.ts';

/** The comments in a body, under either name. */
export interface CommentFields {
  readonly comments?: string | null;
  readonly comment?: string | null;
}

/** The comments under whichever name the client sent them. */
export const commentsIn = ({ comments, comment }: CommentFields): string | null | undefined =>
  comments === undefined ? comment : comments;

/** Refuses a body that has both names: nobody knows which one counts. */
export const oneNameOfComments = ({ comments, comment }: CommentFields): readonly Violation[] =>
  comments === undefined || comment === undefined
    ? []
    : [{ pointer: '/comment', rule: 'once', message: 'comment is another name of comments: send one of them.' }];
