import type { Ages } from './object-store/files.ts';
import type { ObjectStore } from './object-store.ts';
import { hourMilliseconds, repeat } from './schedules.ts';
import type { Resource } from './template.ts';

interface Rule {
  readonly Prefix?: string;
  readonly ExpirationInDays?: number;
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation: number };
}

const dayMilliseconds = 24 * hourMilliseconds;

/** How old what the lifecycle of a bucket removes must be. */
export const lifecycleOf = ({ properties }: Resource): Ages => {
  const { Rules } = properties.LifecycleConfiguration as { Rules: readonly Rule[] };
  const staging = Rules.find(({ Prefix }) => Prefix === 'staging/')?.ExpirationInDays;
  const uploads = Rules.find((rule) => rule.AbortIncompleteMultipartUpload)?.AbortIncompleteMultipartUpload;
  if (staging === undefined || uploads === undefined || Rules.length !== 2)
    throw new Error('The local runner knows the lifecycle of staged objects and of unfinished uploads alone.');
  return { staging: staging * dayMilliseconds, uploads: uploads.DaysAfterInitiation * dayMilliseconds };
};

/** Applies the lifecycle of a bucket at once and then every hour, until the returned function is called. */
export const keepLifecycle = ({ expire }: Pick<ObjectStore, 'expire'>, ages: Ages): (() => void) => {
  const stopping = new AbortController();
  void repeat(() => expire(ages), hourMilliseconds, stopping.signal);
  return () => stopping.abort();
};
