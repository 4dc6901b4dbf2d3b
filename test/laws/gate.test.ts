import { endpoints } from '../../functions/endpoints.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';

const files = new Map(sourceFiles.map((file) => [file.path, file]));
const gate = 'shared/packages/serve/readable.ts';

/** What names the items of packages in the table. */
const isKeyOfContent = (name: string): boolean =>
  /^(?:versionKey|fileKey|tagKey|packageHeadKey|packageEntryKey|filesList|versionsList|packagesList|tagsList|markedList)$/.test(
    name,
  );

/** What reads such items for its caller. */
const isReader = (name: string): boolean =>
  /^(?:findFiles|foundFiles|loadIndex|readIndex|readChanges|indexOf|entriesOf|listTagItems)$/.test(name);

/** A call that reads the table. */
const reading = /\btable\.(?:read|query|readWanted)\(|\b(?:queryAll|queryPages|queryMerged|queryShown|loaded\.find)\(/;

/** Whether a module reads versions, files, tags or packages, and not only says where they are. */
const readsContent = ({ imports, text }: SourceFile): boolean => {
  const names = imports.filter(({ isTypeOnly }) => !isTypeOnly).flatMap((each) => each.names);
  return names.some(isReader) || (names.some(isKeyOfContent) && reading.test(text));
};

/** Where answers are made of what sources have: the types, the management of packages, and what they share. */
const isAnswering = (path: string): boolean => /^functions\/[^/]+\/|^shared\/packages\/serve\//.test(path);

const reach = (path: string, found = new Set<string>()): Set<string> => {
  if (found.has(path)) return found;
  found.add(path);
  for (const { target, isTypeOnly } of files.get(path)?.imports ?? []) if (!isTypeOnly) reach(target, found);
  return found;
};

/** The modules behind the endpoints that read repositories. What says where an image is only prepares the first read. */
const behindReads = [
  ...new Set(
    endpoints
      .filter(({ method, path }) => method === 'GET' && path.includes('{repository}'))
      .flatMap(({ id }) => Array.from(reach(`functions/${id}.ts`))),
  ),
].filter(isAnswering);

/** These read to decide who may be asked, or for the first read, and show nothing of it. */
const showNothing: Readonly<Record<string, string>> = {
  'functions/conan/get-conan-document.ts':
    'asks which local sources have a revision whole, whose files are then served',
  'functions/docker/addresses.ts': 'names the keys of the first read',
  'functions/go/documents.ts': 'refuses what can be no module, before its index is found',
  'functions/maven/plugins.ts': 'asks which names local sources hold, so that no upstream answers for them',
  'functions/npm/get-npm-search.ts': 'reads who published what the search found',
};

describe('what leaves the service', () => {
  it('is found behind many endpoints', () => {
    expect(behindReads.length).toBeGreaterThan(60);
    expect(behindReads).toContain('functions/packages/holders.ts');
  });

  it('passes the one gate: no other module reads versions, files or tags for an answer', () => {
    const readers = behindReads.filter((path) => readsContent(files.get(path) as SourceFile));
    const past = readers.filter((path) => !files.get(path)?.imports.some(({ target }) => target === gate));
    expect(readers.length).toBeGreaterThan(10);
    expect(past.toSorted()).toEqual(Object.keys(showNothing).toSorted());
  });
});
