import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { endpoints } from '../../functions/endpoints.ts';
import { aliasesAtOnceMax } from '../../infra/api/release-groups.ts';
import { type PackageType, packageTypes } from '../../shared/package-types.ts';
import { facts } from '../harness/endpoint-facts.ts';
import { type Import, type SourceFile, sourceFiles } from './source-files.ts';

const files = new Map(sourceFiles.map((file) => [file.path, file]));
const below = (folder: string): SourceFile[] => sourceFiles.filter(({ path }) => path.startsWith(`${folder}/`));
const product = [...below('functions'), ...below('shared')];
/** All files but this one, which names what it forbids. */
const others = sourceFiles.filter(({ path }) => path !== 'test/laws/source.test.ts');
const handlerPaths = new Set(endpoints.map(({ id }) => `functions/${id}.ts`));
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const values = (file: SourceFile): Import[] => file.imports.filter(({ isTypeOnly }) => !isTypeOnly);

/** What runs in the browser of who uses the console. */
const isApp = (path: string): boolean => path.startsWith('functions/console/app/');

/** The imports of files that a rule does not allow, as `file → target`. */
const offences = (of: readonly SourceFile[], allows: (target: string, file: SourceFile) => boolean): string[] =>
  of.flatMap((file) =>
    file.imports.filter(({ target }) => !allows(target, file)).map(({ target }) => `${file.path} → ${target}`),
  );

/** A file and everything that it imports, directly or not. By default, this is what is loaded with it. */
const reach = (path: string, importsOf = values, found = new Set<string>()): Set<string> => {
  if (found.has(path)) return found;
  found.add(path);
  const file = files.get(path);
  if (file) for (const { target } of importsOf(file)) reach(target, importsOf, found);
  return found;
};

describe('imports', () => {
  it('are found at all', () => {
    expect(sourceFiles.length).toBeGreaterThan(80);
    expect(sourceFiles.flatMap(({ imports }) => imports).length).toBeGreaterThan(300);
  });

  it('of a use case are its own resource and shared', () => {
    const ofResources = below('functions').filter(({ path }) => folderOf(path) !== 'functions');
    // What one endpoint does for all package types is gathered like the endpoints themselves.
    const isOwn = (target: string, { path }: SourceFile): boolean =>
      target.startsWith('shared/') ||
      folderOf(target) === folderOf(path) ||
      (isApp(path) && (isApp(target) || target.endsWith('/contracts.ts'))) ||
      (['functions/package-formats.ts', 'functions/package-releases.ts'].includes(target) &&
        folderOf(path) === 'functions/packages') ||
      (target === 'functions/package-definitions.ts' &&
        ['functions/advisories', 'functions/packages', 'functions/repositories', 'functions/verdicts'].includes(
          folderOf(path),
        ));
    const isLibrary = (target: string, { path }: SourceFile): boolean =>
      target.startsWith('node:') || (!files.has(target) && !handlerPaths.has(path));
    expect(offences(ofResources, (target, file) => isOwn(target, file) || isLibrary(target, file))).toEqual([]);
  });

  it('of the console are types of contracts, and of shared what runs in a browser', () => {
    const app = sourceFiles.filter(({ path }) => isApp(path));
    expect(app.length).toBeGreaterThan(10);
    const loaded = app.flatMap((file) => values(file).map(({ target }) => target));
    const foreign = loaded.filter((target) => files.has(target) && !isApp(target));
    expect([...new Set(foreign)]).toEqual(['shared/change-actions.ts', 'shared/trust-providers.ts']);
  });

  it('never are the use case of an endpoint', () => {
    expect(
      offences(sourceFiles, (target) => !handlerPaths.has(target) && target !== 'functions/authorizer.ts'),
    ).toEqual([]);
  });

  it('of contracts and of the endpoint list lead to pure data only', () => {
    const pure = sourceFiles.filter(({ path }) => /^functions\/(?:endpoints|[^/]+\/contracts)\.ts$/.test(path));
    expect(pure.length).toBeGreaterThan(5);
    const isImpure = (target: string): boolean => /\bprocess\.|\bfetch\(/.test(files.get(target)?.text ?? 'process.');
    const impure = pure.flatMap(({ path }) => [...reach(path)].filter(isImpure).map((target) => `${path} → ${target}`));
    expect(impure).toEqual([]);
  });

  it('lead downwards: a folder of shared knows those that it stands on, and a single file knows no folder', () => {
    const standsOn: Readonly<Record<string, readonly string[]>> = {
      observability: [],
      auth: [],
      store: [],
      table: ['auth', 'store'],
      http: ['auth', 'store', 'table', 'observability'],
      upstream: [],
      packages: ['auth', 'store', 'table', 'observability', 'http', 'upstream'],
      openapi: ['http'],
      door: ['auth', 'store', 'http'],
      front: ['door', 'http', 'packages', 'store', 'table'],
    };
    const folder = (path: string): string | undefined => /^shared\/([^/]+)\//.exec(path)?.[1];
    const isBelow = (target: string, { path }: SourceFile): boolean => {
      const [from, to] = [folder(path), folder(target)];
      return to === undefined || to === from || (from !== undefined && standsOn[from]?.includes(to) === true);
    };
    expect(offences(below('shared'), isBelow)).toEqual([]);
    expect(offences(below('shared'), (target) => !/^(?:functions|infra|test)\//.test(target))).toEqual([]);
    expect(offences(product, (target) => !/^(?:infra|test)\//.test(target))).toEqual([]);
  });

  it('lead downwards between the rooms of shared/packages, of which none has more than sixteen files', () => {
    const standsOn: Readonly<Record<string, readonly string[]>> = {
      blobs: [],
      sources: [],
      uploads: ['blobs'],
      index: ['blobs'],
      generations: ['blobs', 'serve'],
      changes: ['blobs', 'index', 'sources'],
      formats: ['changes'],
      'loose-files': ['changes', 'index'],
      upstream: ['changes', 'formats', 'sources'],
      releases: [],
      fetch: ['blobs', 'changes', 'loose-files', 'releases', 'sources', 'upstream'],
      gate: ['fetch', 'releases', 'sources', 'upstream'],
      serve: ['blobs', 'changes', 'fetch', 'formats', 'gate', 'index', 'releases', 'sources', 'upstream'],
      types: ['changes', 'formats', 'gate', 'serve', 'sources'],
      // What two package types share: their packages have one form, and both speak one protocol.
      nupkg: ['blobs', 'changes', 'formats', 'index', 'serve', 'sources'],
      'nupkg-protocol': [
        'changes',
        'fetch',
        'formats',
        'gate',
        'index',
        'nupkg',
        'releases',
        'serve',
        'sources',
        'types',
        'upstream',
      ],
      'nupkg-feed': ['formats', 'nupkg', 'nupkg-protocol', 'serve', 'sources'],
    };
    const rooms = Map.groupBy(below('shared/packages'), ({ path }) => folderOf(path));
    const room = (path: string): string | undefined => /^shared\/packages\/([^/]+)\//.exec(path)?.[1];
    const isBelow = (target: string, { path }: SourceFile): boolean => {
      const [from = '', to] = [room(path), room(target)];
      return to === undefined || to === from || standsOn[from]?.includes(to) === true;
    };
    expect(Object.keys(standsOn).toSorted()).toEqual(
      [...rooms.keys()].map((path) => path.slice('shared/packages/'.length)).toSorted(),
    );
    expect([...rooms].filter(([, found]) => found.length > 16)).toEqual([]);
    expect(offences(below('shared/packages'), isBelow)).toEqual([]);
  });

  it('of the client of upstreams are parts of Node and one library', () => {
    const allowed = /^(?:node:|shared\/upstream\/|ipaddr\.js$)/;
    expect(below('shared/upstream').length).toBeGreaterThan(5);
    expect(offences(below('shared/upstream'), (target) => allowed.test(target))).toEqual([]);
  });

  it('of infra lead to the endpoint list and to what package types say of themselves, never to what runs behind it', () => {
    const infra = below('infra').filter(({ path }) => !path.startsWith('infra/local/'));
    const allowed = (target: string): boolean =>
      !target.startsWith('functions/') ||
      /^functions\/(?:endpoints|package-definitions|document-words)\.ts$/.test(target);
    expect(offences(infra, allowed)).toEqual([]);
    expect(offences(infra, (target) => !target.startsWith('infra/local/') && !target.startsWith('test/'))).toEqual([]);
    expect(offences(infra, (target) => !/^shared\/table\/(?!schema\.ts)/.test(target))).toEqual([]);
  });

  it('of an entity of the table never are what another entity does to the table', () => {
    const entities = below('shared/table').filter(({ tableFunctions }) => tableFunctions.length > 0);
    const foreign = entities.flatMap((file) =>
      values(file).flatMap(({ target, names }) => {
        const doing = files.get(target)?.tableFunctions ?? [];
        const isEntity =
          target.startsWith('shared/table/') && !/\/(?:client|lists|merged-lists|references)\.ts$/.test(target);
        return isEntity ? names.filter((name) => doing.includes(name)).map((name) => `${file.path} → ${name}`) : [];
      }),
    );
    expect(foreign).toEqual([]);
  });

  it('of the AWS SDK stay in the table layer and in the secrets', () => {
    const places = product.filter(({ imports }) => imports.some(({ target }) => target.startsWith('@aws-sdk/')));
    expect(places.map(({ path }) => path).filter((path) => !/^shared\/(?:table\/|secrets)/.test(path))).toEqual([]);
  });

  it('say conditions of the table in the table layer alone: above it, writes have names', () => {
    const raw =
      /attribute_(?:not_)?exists|if_not_exists|(?:Condition|Update|Filter)Expression|['"`](?:SET|ADD|REMOVE|DELETE) #|#\w+ (?:=|<|>|<=|>=|<>) :/;
    const above = product.filter(
      ({ path }) => /^(?:functions|shared)\//.test(path) && !path.startsWith('shared/table/'),
    );
    expect(above.length).toBeGreaterThan(300);
    expect(above.filter(({ text }) => raw.test(text)).map(({ path }) => path)).toEqual([]);
    const inTable = product.filter(({ path, text }) => path.startsWith('shared/table/') && raw.test(text));
    expect(inTable.length).toBeGreaterThan(10);
  });

  const circles = (of: readonly SourceFile[], importsOf: (file: SourceFile) => Import[]): string[] =>
    of
      .filter((file) => importsOf(file).some(({ target }) => reach(target, importsOf).has(file.path)))
      .map(({ path }) => path);

  it('never run in a circle', () => {
    expect(circles(sourceFiles, values)).toEqual([]);
  });

  it('of types never run in a circle either, except that a key has the type of its item', () => {
    const all = (file: SourceFile): Import[] =>
      file.path === 'shared/table/keys.ts' ? values(file) : [...file.imports];
    expect(circles(product, all)).toEqual([]);
  });

  it('have no side effect to wait for: no module of the product runs anything when loaded', () => {
    const bare = product.flatMap(({ path, imports }) =>
      imports
        .filter(({ names, target, isReExport }) => names.length === 0 && !isReExport && files.has(target))
        .map(() => path),
    );
    expect(bare).toEqual([]);
  });
});

describe('a package type', () => {
  /** The modules of the package types, and their names. */
  const lists: ReadonlySet<string> = new Set(['functions/package-types.ts', 'shared/package-types.ts']);
  /** The examples of the document, and the address of a public image. */
  const exceptions: Readonly<Partial<Record<PackageType, readonly string[]>>> = {
    docker: ['infra/edge/fargate-host.ts'],
    npm: ['functions/repositories/contracts.ts', 'functions/repositories/schemas.ts'],
    universal: ['functions/packages/schemas.ts'],
  };
  const code = [...product, ...below('infra')];
  const outside = (type: PackageType): SourceFile[] =>
    code.filter(({ path }) => !path.startsWith(`functions/${type}/`) && !lists.has(path));
  const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '');

  it('is in the lists, and has a folder of its own', () => {
    const folders = product.flatMap(({ path }) => /^functions\/([^/]+)\/type\.ts$/.exec(path)?.[1] ?? []);
    expect(folders.toSorted()).toEqual(packageTypes.toSorted());
  });

  it.each(packageTypes)('%s is imported by the lists alone', (type) => {
    expect(offences(outside(type), (target) => !target.startsWith(`functions/${type}/`))).toEqual([]);
  });

  it.each(packageTypes)('%s is named nowhere else, so that another one needs no change outside its folder', (type) => {
    // As a value, or in a path: the words of the document may name it.
    const name = new RegExp(`^(?:.*/)?${type}(?:/.*)?$`);
    const literals = (text: string): string[] => text.match(/(?<=')[^'\n]*(?=')|(?<=`)[^`]*(?=`)/g) ?? [];
    const isNamed = ({ text, identifiers }: SourceFile): boolean =>
      [...identifiers].some((identifier) => identifier.toLowerCase() === type) ||
      literals(withoutComments(text)).some((literal) => name.test(literal));
    const paths = outside(type)
      .filter(isNamed)
      .map(({ path }) => path);
    expect(paths).toEqual(exceptions[type] ?? []);
  });
});

describe('the environment', () => {
  it('is read in one place', () => {
    expect(product.filter(({ text }) => text.includes('process.env')).map(({ path }) => path)).toEqual([
      'shared/config.ts',
    ]);
  });
});

/** The prefixes of a path, each with the part that follows. */
const stepsOf = (path: string): [parent: string, part: string][] => {
  const parts = path.split('/').slice(1);
  return parts.map((part, depth) => [`/${parts.slice(0, depth).join('/')}`, part]);
};

/** What API Gateway would not serve as it is meant. */
const pathOffences = (paths: readonly string[]): string[] => {
  const steps = paths.flatMap(stepsOf).filter(([, part]) => part.startsWith('{'));
  const byParent = Map.groupBy(steps, ([parent]) => parent);
  return [
    ...paths.filter((path) => path.startsWith('/1/') && path.includes('+}')).map((path) => `greedy: ${path}`),
    ...paths.filter((path) => /\+\}./.test(path)).map((path) => `not at the end: ${path}`),
    // Unless a parameter is a whole part of a path, and made of letters, API Gateway refuses it.
    ...paths.filter((path) => /[^/]\{|\}[^/]/.test(path)).map((path) => `no whole part: ${path}`),
    // "A sibling of this resource already has a variable path part -- only one is allowed": the deployment fails.
    ...[...byParent]
      .filter(([, parts]) => new Set(parts.map(([, part]) => part)).size > 1)
      .map(([parent]) => `several parameters: ${parent}`),
    // The local runner serves the stage under this prefix, too.
    ...paths.filter((path) => /^\/api(?:\/|$)/.test(path)).map((path) => `like the stage: ${path}`),
  ];
};

describe('functions whose new versions get a part of the calls first', () => {
  it('are few enough in each folder to move at once: a stack is the smallest group of a release', () => {
    const hot = endpoints.filter(({ isHot }) => isHot);
    const counts = Map.groupBy(hot, ({ id }) => id.split('/')[0]);
    expect([...counts].filter(([, { length }]) => length > aliasesAtOnceMax)).toEqual([]);
    expect(hot.length).toBeGreaterThan(8);
  });
});

describe('paths', () => {
  it('are such that API Gateway deploys and serves them', () => {
    expect(pathOffences(endpoints.map(({ path }) => path))).toEqual([]);
  });

  it.each([
    [['/1/workspaces/{workspace}/{path+}'], ['greedy: /1/workspaces/{workspace}/{path+}']],
    [['/npm/{path+}/tail'], ['not at the end: /npm/{path+}/tail']],
    [['/npm/{workspace}', '/npm/{path+}'], ['several parameters: /npm']],
    [['/npm/{workspace}/a', '/npm/{user}/b'], ['several parameters: /npm']],
    [['/npm/{workspace}.json'], ['no whole part: /npm/{workspace}.json']],
    [['/api/x'], ['like the stage: /api/x']],
    [['/npm/{workspace}/a', '/npm/{workspace}/{path+}', '/npm/-/ping', '/apis'], []],
  ])('%j: %j', (paths, expected) => {
    expect(pathOffences(paths)).toEqual(expected);
  });
});

describe('names', () => {
  it.each(endpoints.map(({ id }) => id))('%s is the name of a function, of its test and of its facts', (id) => {
    const wanted = [`functions/${id}.ts`, `test/functions/${id}.test.ts`];
    expect(wanted.filter((path) => !files.has(path))).toEqual([]);
    expect(Object.keys(facts)).toContain(id);
  });

  it('of endpoints are a resource and a verb with its noun', () => {
    const verbs =
      /^[a-z]+\/(?:create|get|list|update|delete|add|remove|publish|rotate|renew|check|exchange)-[a-z]+(?:-[a-z]+)*$/;
    expect(endpoints.map(({ id }) => id).filter((id) => !verbs.test(id))).toEqual([]);
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
    expect(new Set(endpoints.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\+?\}/g, '{}')}`)).size).toBe(
      endpoints.length,
    );
  });

  it('of files are kebab-case, and say what is inside', () => {
    const names = sourceFiles.map(({ path }) => path);
    expect(names.filter((path) => !/^[a-z0-9/-]+(?:\.test)?\.ts$/.test(path))).toEqual([]);
    expect(
      names.filter((path) => /(?:^|[/-])(?:util|utils|helper|helpers|common|misc|manager|base)(?:[-.]|$)/.test(path)),
    ).toEqual([]);
  });
});

describe('types', () => {
  it('have one name each: none is exported by two files of the product', () => {
    const exports = product.flatMap(({ path, exportedTypes }) => exportedTypes.map((name) => [name, path] as const));
    expect(exports.length).toBeGreaterThan(80);
    const byName = Map.groupBy(exports, ([name]) => name);
    expect([...byName.values()].filter((of) => of.length > 1).map((of) => of.flat().join(' '))).toEqual([]);
  });

  it('are hardly ever forced on a value', () => {
    const forced = others.flatMap(({ path, text }) => [...text.matchAll(/\bas unknown as\b/g)].map(() => path));
    expect(forced.length).toBeLessThanOrEqual(2);
  });
});

describe('words', () => {
  /** What other words have replaced: two words for one thing would come back one file at a time. */
  const retired =
    /^(?:Seen|walk|inPassing|unlisting|soundFields)$|^(?:subject(?!_token)|candidate|admit|admission|effort)|Subject|Candidate|Admit|Admission/;

  /** The field of the manifest of an image that names the manifest that it is about (the image specification of OCI). */
  const isOfManifest = (path: string, name: string): boolean =>
    name === 'subject' &&
    /^(?:functions\/docker\/manifest|test\/functions\/docker\/.*|test\/requests\/package-documents)\.ts$/.test(path);

  it('that were retired stay so', () => {
    const found = others.flatMap(({ path, identifiers }) =>
      [...identifiers]
        .filter((name) => retired.test(name) && !isOfManifest(path, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(found).toEqual([]);
  });
});

describe('files', () => {
  /** What is data only may be longer: who looks for a line of it does not read the rest. */
  const linesMax = (path: string): number => (/^shared\/error-kinds\.ts$|\/contracts\.ts$/.test(path) ? 400 : 250);

  it('have at most 250 lines, suites of tests aside, and 400 where they are data', () => {
    const long = sourceFiles
      .filter(({ path }) => !path.endsWith('.test.ts'))
      .map(({ path, text }) => [path, text.split('\n').length - 1] as const)
      .filter(([path, lines]) => lines > linesMax(path));
    expect(long).toEqual([]);
  });

  it('of the harness are at most 60, and CONTRIBUTING says what each is for', () => {
    const harness = globSync('test/harness/**/*.ts').map((path) => basename(path, '.ts'));
    expect(harness.length).toBeGreaterThan(40);
    expect(harness.length).toBeLessThanOrEqual(60);
    const page = readFileSync('CONTRIBUTING.md', 'utf8');
    const rows = page.slice(page.indexOf('What `test/harness/` has')).split('\n\n')[1] ?? '';
    const named = Array.from(
      rows.matchAll(/^\| (`[^|]+) \|/gm),
      ([, names = '']) => names.match(/[\w-]+/g) ?? [],
    ).flat();
    expect(named.toSorted()).toEqual(harness.toSorted());
  });

  it('of the documentation have no conflict markers', () => {
    const pages = globSync('{*.md,docs/**/*.md}');
    expect(pages.length).toBeGreaterThan(6);
    expect(pages.filter((page) => /^[<>]{7} /m.test(readFileSync(page, 'utf8')))).toEqual([]);
  });

  it('promise nothing for later', () => {
    expect(others.filter(({ text }) => /\b(?:TODO|FIXME|XXX)\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
