import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what is left of the service when a client, a process or a disk fails it. */
export const robustnessMutants: readonly Mutant[] = [
  ...bugsIn('shared/http/requests/form-parts.ts', 'cut-forms', {
    'a form that is cut ends its function': ["    stream.on('error', () => {});\n", ''],
  }),
  ...bugsIn('shared/door/server.ts', 'gone-clients', {
    'a client that goes is a failure of the door': ['(response.destroyed && !(error instanceof ApiError))', 'false'],
  }),
  ...bugsIn('infra/local/events.ts', 'infra/local/events', {
    'a place that is cut ends the start': ['  } catch {\n    return {};\n  }', '  } finally {\n  }'],
    'a kill may leave a part of the place': ['const next = `${file}.next`;', 'const next = file;'],
    'a line that was cut is the begin of the next': ['if (end < bytes.length) truncateSync(file, end);', ''],
  }),
];
