import { bugsIn, type Mutant } from './mutant.ts';

const upstream = 'functions/debian/get-debian-document-from-upstream';

/** Bugs in what repositories for Debian have of upstreams. */
export const debianUpstreamMutants: readonly Mutant[] = [
  ...bugsIn('functions/debian/release-reader.ts', upstream, {
    'an InRelease ends anywhere': [
      ' || !/\\n-----END PGP SIGNATURE-----\\n*$/.test(text.slice(-100))',
      '',
      'upstreams/foreign-pages',
    ],
    'a Release needs no hashes': ["!fields.has('sha256') || ", '', 'upstreams/foreign-pages'],
  }),
  ...bugsIn('functions/debian/upstream.ts', upstream, {
    'a list may have other bytes than its hash': [
      "const expected = algorithm === 'SHA256' ? { sha256: hash } : { sha512: hash };",
      'const expected = {};',
    ],
    'an upstream is never asked by hashes': ['if (release.hasHashes) return', 'if (false) return'],
    'an upstream that promises names by hashes has its lists by no others': [
      '`by-hash/${algorithm}/${hash}`), plain]',
      '`by-hash/${algorithm}/${hash}`)]',
    ],
    'a Release without a signature around it is not read': [
      "?? \n  loadDocument(request, source, upstreamRelease(source, directory, 'Release'))",
      '',
    ],
    'a page of a portal is a package': [
      "/\\.[ud]?deb$/.test(path) ? 'ar' : 'no JSON'",
      "'any'",
      'upstreams/foreign-pages',
    ],
    'names of distributions have no slash': ['const directoriesMax = 3;', 'const directoriesMax = 1;'],
    'a list by SHA-512 is asked for by SHA-256': ["hash.length === 64 ? 'SHA256' : 'SHA512'", "'SHA256'"],
    'repositories without distributions have no Release': ["if (dists !== 'dists') return [directory];", ''],
  }),
  ...bugsIn('functions/debian/upstream-lists.ts', upstream, {
    'lists of any size are combined': ['if (bytes > listsBytesMax)', 'if (false)'],
    'a list of xz alone is left out': [
      'if (!document) throw tooLong(',
      'if (!document) return [];\n      if (false) throw tooLong(',
    ],
    'a list of an upstream has any hash': ["if (hash('sha256', sent) !== sha256)", 'if (false)'],
    'updates are a component of their own': ["component.slice(component.lastIndexOf('/') + 1)", 'component'],
    'a list that was lost is empty': ['if (loaded) return loaded.read();', 'return loaded ? loaded.read() : [];'],
    'lists by hash alone are asked for by their names': ['hasHashes ? [byHash, plain] : [plain]', '[plain]'],
    'a virtual repository wants lists by the hashes that an upstream promises': [
      'hasHashes ? [byHash, plain] : [plain]',
      'hasHashes ? [byHash] : [plain]',
    ],
    'lists of zstd stay packed': ["path.endsWith('.zst') ? zstdDecompressSync(sent, limits) : sent", 'sent'],
  }),
  ...bugsIn('functions/debian/upstream-entries.ts', upstream, {
    'packages may be elsewhere': [
      '!/[:%?#]/.test(path) && decodeSegments(path) ? path : undefined',
      '!/[%?#]/.test(path) ? path : undefined',
    ],
    'packages of an upstream stand as they were sent': [': lines}\\n`', ': lines}\\r\\n`'],
    'packages in ./ of an upstream are left out': ['withoutDots(listed)', 'listed'],
    'a list names a path of an upstream as it was sent': [
      "name.toLowerCase() === 'filename' ? `${name}: ${path}` : lines",
      'lines',
    ],
    'packages of an upstream have any name': ['!isBuild(build) || ', ''],
    'a component of an upstream has any name': ['if (!isPlace(place)) return [];', ''],
  }),
  ...bugsIn('functions/debian/answers.ts', upstream, {
    'a remote repository has its Release with the signature around it': [
      "entry === 'InRelease' ? 'InRelease' : 'Release'",
      "'InRelease'",
    ],
    'the signature of an upstream is its Release': ["if (entry !== 'Release.gpg')", 'if (true)'],
    'an upstream without a key has an empty one': ['if (!key)', 'if (false)'],
  }),
  ...bugsIn('functions/debian/get-debian-document.ts', upstream, {
    'a remote repository has the key of this service': [
      "if (path.kind === 'key') return answerUpstreamKey(call, source);",
      "if (path.kind === 'key') return answerKey(call);",
    ],
    'a remote repository has lists that it makes': [
      'return isRemote ? files.serve(call, sources, path) : answerMadeHash(call, path);',
      'return answerMadeHash(call, path);',
    ],
    'a plain name that no Release names is asked for': ['if (hash === undefined) throw missing();', ''],
  }),
  ...bugsIn('functions/debian/distributions.ts', upstream, {
    'a Release does not name its lists anew': ['...documents.map(({ path, sha256 }) => `${path} ${sha256}`)', ''],
  }),
];
