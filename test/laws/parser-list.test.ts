import { sourceFiles } from './source-files.ts';

/** The names of functions that read what somebody else has written. */
const readerName =
  /^(?:(?:parse|read|unpack|decode|different|preferred|challenge)[A-Z]\w*|normal(?:Name|Version)|isWebPage|requireForm|\w*[a-z]In)$/;

/** The functions with such a name that read nothing of others, or nothing whose length others choose, each with the reason. */
const noParsers: Readonly<Record<string, string>> = {
  'functions/cargo/index-lines.ts isYankedIn': 'reads an entry of an index, which has at most 256 kB',
  'functions/console/app/markdown-tables.ts tableIn': 'takes a paragraph of a README of at most 256 kB, in the browser',
  'functions/conan/index-entries.ts revisionIn': 'reads what the service stored',
  'functions/docker/index-entries.ts referrersIn': 'filters entries of an index',
  'functions/docker/upload-location.ts versionIn': 'reads a number in a query that the service made',
  'functions/docker/upload-pieces.ts bytesIn': 'adds up the sizes of pieces',
  'shared/packages/formats/yaml-flow.ts readFlow': 'is fed as a part of parseYaml',
  'shared/packages/formats/yaml-scalars.ts readQuoted': 'is fed as a part of parseYaml',
  'shared/packages/formats/xml.ts parseElement': 'is fed by upstreamEntries of rpm',
  'shared/packages/formats/xml.ts parseDocument': 'is fed by parseMetadata, readPom and goalPrefixIn',
  'functions/pypi/names.ts projectIn': 'is fed as a part of parsePath',
  'functions/workspaces/comments.ts commentsIn': 'takes one of two members',
  'shared/http/input.ts readInput': 'validates a body by its schema, and is fed by parseJsonObject',
  'shared/http/principal.ts principalIn': 'reads what the authorizer wrote',
  'shared/packages/serve/file-endpoint.ts fileIn': 'asks the grammar of a type, which is fed itself',
  'shared/packages/fetch/document-cache.ts readDocument': 'reads what the service stored',
  'shared/packages/blobs/shared-documents.ts readShared': 'reads bytes and looks at none',
  'shared/secrets.ts readSecret': 'reads a setting',
  'shared/store/keys.ts objectIdIn': 'reads a key that the service made',
  'shared/store/objects.ts readObject': 'reads bytes and looks at none',
  'shared/store/received-file.ts readWhole': 'passes bytes on to a reader',
  'shared/store/upload-references.ts readReference': 'reads a header, and refuses one that the service has not signed',
  'shared/table/repositories/advisory-lists.ts readList': 'reads what the service stored',
  'shared/table/identity/grant-shards.ts levelIn': 'reads an item',
  'shared/table/identity/grant-shards.ts levelsIn': 'reads an item',
  'shared/table/keys.ts keyIn': 'makes a key',
  'shared/table/references.ts parseReference': 'compares a segment of a path with one pattern',
  'shared/upstream/read-metadata.ts readMetadata': 'collects bytes up to a maximum and looks at none',
};

const exportedIn = (text: string): string[] =>
  Array.from(text.matchAll(/^export (?:const|(?:async )?function\*?) (\w+)(?=[ (<])/gm), ([, name = '']) => name);

const readers = sourceFiles
  .filter(({ path }) => /^(?:functions|shared)\//.test(path))
  .flatMap(({ path, text, tableFunctions }) =>
    exportedIn(text)
      .filter((name) => readerName.test(name) && !tableFunctions.includes(name))
      .map((name) => ({ path, name })),
  );

const importPattern = /^import (?:\* as (?<all>\w+)|\{(?<some>[^}]*)\}) from '\.\.\/\.\.\/(?<path>[^']+)';/gm;

/** What a suite of parsers uses of other files, by their paths. */
const usedIn = (text: string): string[] =>
  Array.from(text.matchAll(importPattern), ({ groups: { all, some = '', path = '' } = {} }) => {
    const members = all === undefined ? [] : text.matchAll(new RegExp(`\\b${all}\\.(\\w+)`, 'g'));
    const names = some.split(',').map((each) => each.trim().split(' ')[0] ?? '');
    return [...Array.from(members, ([, name = '']) => name), ...names].map((name) => `${path} ${name}`);
  }).flat();

const fed = new Set(
  sourceFiles
    .filter(({ path }) => /^test\/requests\/parsers[\w-]*\.test\.ts$/.test(path))
    .flatMap(({ text }) => usedIn(text)),
);

describe('Each function that reads what others write', () => {
  const known = readers.map(({ path, name }) => `${path} ${name}`);

  it('is found', () => {
    expect(known.length).toBeGreaterThan(60);
    expect(known).toContain('functions/cargo/publish-body.ts readPublishBody');
  });

  it('is fed twice the length by a suite of parsers, or stands here with the reason why not', () => {
    const unknown = known.filter((each) => !fed.has(each) && noParsers[each] === undefined);
    expect(unknown).toEqual([]);
    expect(Object.keys(noParsers).filter((each) => !known.includes(each) || fed.has(each))).toEqual([]);
  });
});
