import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what the forms of the console keep, offer and say. */
export const consoleFormMutants: readonly Mutant[] = [
  ...bugsIn('functions/console/app/uploads.ts', 'console/uploads.ts#session of an upload', {
    'an upload that was refused counts towards the storage limit': ['await discard(place, session.id);', ''],
  }),
  ...bugsIn('functions/console/app/pages/upload.ts', 'console/uploads.ts#asks before', {
    'a link leaves an upload without a question': [' && !confirm(words.leaveUpload)', ' && false'],
    'a browser leaves an upload without a question': ["    addEventListener('beforeunload', stay);\n", ''],
  }),
  ...bugsIn('functions/console/app/pages/wizard.ts', 'console/newcomer.ts#too long a name', {
    'a name is too long for a repository that nobody asked for': ["upstream ? 'remote' : 'local'", "'remote'"],
  }),
  ...bugsIn('functions/console/app/pages/workspace.ts', 'console/refusals.ts#System Admin nothing', {
    'a workspace that does not exist has forms': ["codeOf(error) !== 'WORKSPACE_NOT_FOUND'", 'true'],
  }),
  ...bugsIn('functions/console/app/pages/tokens.ts', 'console/tokens.ts', {
    'a token of some repositories looks like one of all': ['repositoryIds.length === 0', 'repositoryIds.length >= 0'],
    'the limits of a token that leads nowhere any more are not shown': ['.catch(() => workspaceId)', ''],
  }),
  ...bugsIn('shared/http/quota.ts', 'functions/workspaces/update-workspace', {
    'who is at the storage limit is not told of open uploads': [' end upload sessions that nobody goes on with,', ''],
  }),
  ...bugsIn('shared/read-only.ts', 'rights/read-only', {
    'nobody is told that a read-only service takes no sign-in': [' Nobody can sign in to the console meanwhile,', ''],
  }),
];
