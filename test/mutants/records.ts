import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the record of changes and its events. */
export const recordMutants: readonly Mutant[] = [
  ...bugsIn('shared/table/client.ts', 'records/records', {
    'a change leaves no record': ['[...writes, recordInsertion(record)]', 'writes'],
    'a refused change is logged': ['if (!refusal && record)', 'if (record)'],
  }),
  ...bugsIn('shared/table/transaction.ts', 'shared/table/client', {
    'a record has the time of the first try': ['if (!this.mayHaveWritten) this.command = undefined;', ''],
  }),
  ...bugsIn('shared/table/retries.ts', 'shared/table/client', {
    'a change whose answer was lost is tried anew': [' && error.$metadata.attempts === 1', ''],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'functions/audit/list-workspace-records', {
    'the service makes every change': ['if (authorized) table.author = ', 'if (!authorized) table.author = '],
  }),
  ...bugsIn('shared/table/changes.ts', 'functions/audit/list-workspace-records', {
    'the oldest record comes first': ['String(timeMax - time)', 'String(time)'],
    'a record knows no repositories': ['repository?.repositoryId, ...alsoConcerns]', 'undefined]'],
  }),
  ...bugsIn('shared/table/record-lists.ts', 'functions/audit/list-workspace-records', {
    'a page goes beyond its begin': ['found.entries.some(isOver) ? undefined : found.next', 'found.next'],
    'a list has what is after its end': ["to === undefined ? '' : endOf(to + 1)", "''"],
    'a record is shown when its time is over': ['record.expiresAt > Date.now() / 1000', 'record.expiresAt > 0'],
  }),
  ...bugsIn('functions/audit/record.ts', 'functions/audit/list-workspace-records', {
    'an ID in capitals is found nowhere': ['[reference, idOf(reference) ?? reference]', '[reference]'],
    'a name of a repository finds no grants': ['[...textsOf(repository), ...named]', 'textsOf(repository)'],
  }),
  ...bugsIn('shared/table/identity/users.ts', 'functions/audit/list-records', {
    'the end of all tokens is in no record': ['tokensRevoked: true', ''],
  }),
  ...bugsIn('shared/table/identity/memberships.ts', 'functions/audit/list-workspace-records', {
    'a role is set whatever it was': ["if: '#role = :before',", "if: 'attribute_exists(pk) AND :before = :before',"],
  }),
  ...bugsIn('infra/local/events.ts', 'infra/local/events', {
    'an event comes again after a crash': ['.filter(({ id }) => !written.has(id))', ''],
    'the pattern of the pipe does not matter': ['.filter((record) => matches(pipe.pattern, record))', ''],
  }),
  ...bugsIn('infra/operation/events.ts', 'infra/template', {
    'the pipe may be used by every account': [
      "{\n        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },\n      }",
      '{}',
    ],
  }),
];
