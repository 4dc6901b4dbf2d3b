import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what is left of the service when a client, a process or a disk fails it. */
export const robustnessMutants: readonly Mutant[] = [
  ...bugsIn('shared/http/requests/form-parts.ts', 'cut-forms', {
    'a form that is cut ends its function': ["    stream.on('error', () => {});\n", ''],
  }),
  ...bugsIn('shared/door/server.ts', 'gone-clients', {
    'a client that goes is a failure of the door': ['(response.destroyed && !(error instanceof ApiError))', 'false'],
  }),
];
