/** The services whose identity tokens have ready-made conditions, and any other one. */
export const trustProviders = ['github', 'gitlab', 'circleci', 'buildkite', 'other'] as const;
export type TrustProvider = (typeof trustProviders)[number];
