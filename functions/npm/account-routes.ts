import { ApiError } from '../../shared/errors.ts';

const levels =
  'Users, teams and access of npm do not exist here: an admin gives a user a level on this repository with POST /1/workspaces/{workspace}/repositories/{repository}/members.';

const stars = 'Stars of npm do not exist here: find packages with npm search.';

/** The routes of an account at npmjs.com, each with what takes its place here. */
const instead: readonly (readonly [RegExp, string])[] = [
  [
    /^-\/npm\/v1\/tokens(?:\/|$)/,
    'Tokens of npm do not exist here: create, list and delete personal access tokens at /1/users/personal-access-tokens.',
  ],
  [
    /^-\/npm\/v1\/user$/,
    'Profiles of npm do not exist here: GET /1/users/me shows your user, and PATCH /1/users/{user} changes it.',
  ],
  [/^-\/npm\/v1\/hooks(?:\/|$)/, 'Hooks of npm do not exist here: subscribe to the events of the service instead.'],
  [/^-\/_view\/starredByUser$/, stars],
  [
    /^-\/package\/.+\/trust(?:\/|$)/,
    'Trusted publishers of npm do not exist here: an admin lets a pipeline in with POST /1/workspaces/{workspace}/trusts.',
  ],
  [/^-\/stage(?:\/|$)/, 'Staged packages of npm do not exist here: npm publish publishes a version at once.'],
  [/^-\/(?:org|team)\//, levels],
  [/^-\/user\/[^/]+\/package$/, levels],
  [/^-\/user\/org\.couchdb\.user:[^/]+$/, levels],
  [/^-\/package\/.+\/(?:access|collaborators|visibility)$/, levels],
];

/** The refusal of an update of a packument by `npm star` or `npm owner`. */
export const updateRefusals = {
  stars: () => new ApiError('ROUTE_NOT_FOUND', stars),
  maintainers: () => new ApiError('ROUTE_NOT_FOUND', levels),
} as const;

/** The refusal of a route of npm's accounts, which says what to use instead; undefined for any other path. */
export const accountRefusal = (rawTail: string): ApiError | undefined => {
  const [, detail] = instead.find(([route]) => route.test(rawTail)) ?? [];
  return detail === undefined ? undefined : new ApiError('ROUTE_NOT_FOUND', detail);
};
