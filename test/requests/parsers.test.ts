import { brokenFeatures, differentFeatures } from '../../functions/cargo/features.ts';
import { readLine } from '../../functions/cargo/index-lines.ts';
import { parseManifest } from '../../functions/cargo/manifest.ts';
import { checkMetadata } from '../../functions/cargo/metadata.ts';
import * as cargo from '../../functions/cargo/versions.ts';
import { declaredPath, problemIn } from '../../functions/go/go-mod.ts';
import { modulePathProblem } from '../../functions/go/module-paths.ts';
import { readModuleZip } from '../../functions/go/module-zip.ts';
import * as goPaths from '../../functions/go/paths.ts';
import * as go from '../../functions/go/versions.ts';
import { readIndexDocument } from '../../functions/helm/index-pieces.ts';
import { parseProvenance } from '../../functions/helm/provenance.ts';
import * as helm from '../../functions/helm/versions.ts';
import * as maven from '../../functions/maven/versions.ts';
import * as npm from '../../functions/npm/versions.ts';
import * as pypi from '../../functions/pypi/versions.ts';
import { parseYaml } from '../../shared/packages/formats/yaml.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { bytes, itReadsInLinearTime, many, texts } from '../harness/growth.ts';
import { zipOf } from '../harness/pypi.ts';

jest.setTimeout(240_000);

const blanks = ' '.repeat(500);

const versionTexts = [
  many('1'),
  many('1.'),
  many('0.', '', 'x'),
  many('-', '1.0.0'),
  many('a.', '1.0.0-'),
  many('a', '1.0.0+', '!'),
];

const pathTexts = [many('a/'), many('a'), many('/'), many('.'), many('%41'), many('-', 'a'), many('@', 'a')];

describe('The time to read a chart, a module, a crate or a version grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a chart, in one line': bytes(
      (content) => parseYaml(content, 'Chart.yaml'),
      many(' ', 'a', 'b'),
      many(' ', 'name: a', 'b'),
      many(' ', 'name: "a', 'b"'),
      many(' #', 'name: a', '\u2028'),
      many('a:', 'name: '),
      many("''", "a: '", "'"),
      many('- '),
      many('[', 'a: '),
      many('{a: ', 'a: '),
      many('a, ', 'a: [', ']'),
    ),
    'a chart, in many lines': bytes(
      (content) => parseYaml(content, 'Chart.yaml'),
      many(`a: b${blanks}c\n`),
      many(`- "b${blanks}c"\n`),
      many('  one line\n', 'a: "\n', '  "'),
      many('  one line\n', 'a: [\n', '  ]'),
      many('\n', 'a: [a', ']'),
      many(`${blanks}\n`, 'a: [a', ']'),
      many('  one line\n', 'a: b\n'),
      many('  one line\n', 'a: |\n'),
      many('  "one\n  line"\n', 'a:\n'),
      many('- [a,\n  b]\n'),
      many('# comment\n'),
      many('\n', 'a:'),
    ),
    'the index of a helm repository': bytes(
      (content) => Array.from(readIndexDocument(content).charts()),
      many(`  a:\n  - description: a${blanks}b\n`, 'apiVersion: v1\nentries:\n'),
      many('  a:\n', 'apiVersion: v1\nentries:\n'),
      many('entries:\n'),
    ),
    'the provenance of a chart': bytes(
      parseProvenance,
      many('Hash: a\n', '-----BEGIN PGP SIGNED MESSAGE-----\n'),
      many('\n', '-----BEGIN PGP SIGNED MESSAGE-----\n\n'),
      many('\n...\n', '-----BEGIN PGP SIGNED MESSAGE-----\n\n', '\n-----BEGIN PGP SIGNATURE-----'),
      many('- -----BEGIN PGP SIGNED MESSAGE-----\n'),
    ),
    'a go.mod': bytes(
      (content) => [declaredPath(content), problemIn(content)],
      many('//', '', '\u2028x'),
      many('\n'),
      many(' ', 'module', 'x'),
      many('module\n'),
      many('"', 'module '),
      many('require a.example/b v1\n', 'require (\n'),
      many('+a', 'require a.example/b v1.0.0', '+'),
    ),
    'a module zip': () => [
      (length) => {
        const file = fileInMemory(zipOf({ [`m.example/x@v1.0.0/${'a/'.repeat(Math.min(length, 60_000) / 2)}b`]: '' }));
        return () => readModuleZip(file);
      },
      (length) => {
        const names = Array.from({ length: length / 50 }, (_, index) => `m.example/x@v1.0.0/${index}/b`);
        const file = fileInMemory(zipOf(Object.fromEntries(names.map((name) => [name, '']))));
        return () => readModuleZip(file);
      },
    ],
    'the path and the version of a module': texts(
      (text) => [modulePathProblem(text), goPaths.parsePath(text), go.isCanonical(text), go.isPseudoVersion(text)],
      ...pathTexts,
      ...versionTexts,
      many('0.', 'v1.2.3-', '0.20200101000000-'),
    ),
    'a Cargo.toml': bytes(
      parseManifest,
      many('[', 'a = '),
      many('{a=', 'a = '),
      many('a.', '', 'a = 1'),
      many('[a.b]\n'),
      many('[[a]]\nb = 1\n'),
      many('a', 'b = "'),
      many('\\n', 'b = "', '"'),
      many('x\n', 'b = """', '"""'),
      many(' ', 'a =', '#'),
      many('1_', 'a = '),
      many('"a",', 'a = [', ']'),
    ),
    'a line of a crate index': texts(
      readLine,
      many('a', '{"name":"'),
      many('"a":[', '{'),
      many('1.', '{"name":"a","vers":"', '",'),
    ),
    'the metadata of a crate': () => [
      (length) => {
        const features = Object.fromEntries(Array.from({ length: length / 20 }, (_, index) => [`f${index}`, ['a']]));
        return () => [
          checkMetadata({ name: 'a', vers: '1.0.0', deps: [], features }),
          brokenFeatures({ ...features, a: [] }, []),
          differentFeatures(features, features, []),
        ];
      },
    ],
    'a version': texts(
      (text) => [
        cargo.isVersion(text),
        cargo.compareVersions(text, `${text}1`),
        npm.normalVersion(text),
        npm.isPrerelease(text),
        pypi.normalVersion(text),
        helm.parseVersion(text),
        helm.isFullVersion(text),
        maven.compareVersions(text, `${text}1`),
      ],
      ...versionTexts,
      many('a1', '1.'),
      many('.post', '1'),
    ),
  });
});
