import { gzipSync } from 'node:zlib';
import { moduleZip } from '../harness/go.ts';
import { digestOf, imageMediaType, manifestOf, newImage } from '../harness/images.ts';
import { wheelOf } from '../harness/pypi.ts';
import { zipOf } from '../harness/zips.ts';
import { debOf } from '../types/debian-files.ts';
import { distsOf } from '../types/debian-upstreams.ts';
import { repodataOf } from '../types/rpm-upstreams.ts';
import { html, type Page, type UpstreamContent } from './foreign-cases.ts';

const plainText: Readonly<Record<string, Page>> = { 'a text': ['Back soon.'] };

/** A project page in HTML with links. */
const simple = (links: string): string =>
  `<!DOCTYPE html>\n<html>\n<head><title>Links for foo</title></head>\n<body>\n${links}\n</body>\n</html>\n`;
const link = '<a href="/files/foo-1.0.tar.gz">foo-1.0.tar.gz</a>';
const project = { type: 'pypi', path: 'simple/foo/' } as const;
const json = { 'Content-Type': 'application/vnd.pypi.simple.v1+json' };
const simpleJson = JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'foo', files: [] });
const line = (vers: string): string =>
  JSON.stringify({ name: 'serde', vers, deps: [], cksum: '0'.repeat(64), features: {}, yanked: false });
const chart = '  - {name: web, version: 1.0.0, created: 2026-01-01T00:00:00Z, urls: [web.tgz]}';
const index = `apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.0.0\n    digest: ${'a'.repeat(64)}\n    urls:\n    - web.tgz\n`;
const metadata =
  '<metadata><groupId>g</groupId><artifactId>a</artifactId><versioning><versions><version>1</version></versions></versioning></metadata>';
const manifest = manifestOf(newImage());
const inRelease = String(distsOf({})['dists/stable/InRelease']);
const { 'repodata/repomd.xml': repomd = '' } = repodataOf({});

/** What is cached as a document. */
export const documents: Readonly<Record<string, UpstreamContent>> = {
  'A project page of PyPI in HTML': {
    ...project,
    good: simple(link),
    headers: html,
    others: {
      'a page that was cut': [simple(link.repeat(2)).slice(0, -30), html],
      'a page without its last tag': [simple(link).replace('</html>', ''), html],
      'a page of no index with a file of another project': [
        '<html><title>Tools</title><a href="/bar-1.0.zip">bar</a></html>',
        html,
      ],
      'a page of another media type': [simple(link), { 'Content-Type': 'application/json' }],
      'a text': ['The index is down for maintenance.', { 'Content-Type': 'text/plain' }],
      nothing: [''],
    },
  },
  'A project page of PyPI in JSON': {
    ...project,
    good: simpleJson,
    headers: json,
    others: {
      'JSON that was cut': [simpleJson.slice(0, -4), json],
      'JSON of another media type': [simpleJson, html],
    },
  },
  'A packument of npm': {
    type: 'npm',
    path: 'foo',
    good: JSON.stringify({
      name: 'foo',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name: 'foo', version: '1.0.0' } },
    }),
    others: { 'an empty object': ['{}'] },
  },
  'A maven-metadata.xml': {
    type: 'maven',
    path: 'g/a/maven-metadata.xml',
    good: metadata,
    others: {
      'XML that was cut': [metadata.slice(0, -3)],
      'a page that is XML': ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
    },
  },
  'A list of versions of a Go module': {
    type: 'go',
    path: 'corp.example/tool/@v/list',
    good: 'v1.0.0\nv1.1.0\n',
    others: { 'a text': ['Back soon.'], 'a list that was cut': ['v1.0.0\nv1.1'] },
  },
  'The latest version of a Go module': {
    type: 'go',
    path: 'corp.example/tool/@latest',
    good: '{"Version":"v1.1.0"}',
    others: plainText,
  },
  'An answer of a checksum database': {
    type: 'go',
    path: 'sumdb/sum.golang.org/latest',
    good: 'go.sum database tree\n1\nAAAA\n',
  },
  'The index of a crate': {
    type: 'cargo',
    path: 'se/rd/serde',
    good: `${line('1.0.0')}\n`,
    others: { 'an index that was cut': [`${line('1.0.0')}\n${line('1.0.1').slice(0, -20)}`] },
  },
  'A document of Composer': {
    type: 'composer',
    path: 'p2/acme/tool.json',
    beside: { '/packages.json': '{"metadata-url":"/p2/%package%.json"}' },
    good: '{"packages":{"acme/tool":[{"name":"acme/tool","version":"1.0.0"}]}}',
    others: {
      'a document of another package': ['{"packages":{"acme/other":[]}}'],
      'an empty object': ['{}'],
      'JSON that was cut': ['{"packages":{"acme/tool":[{"name":"acme/t'],
    },
  },
  'The revisions of a recipe': {
    type: 'conan',
    path: 'v2/conans/tool/1.0/_/_/revisions',
    good: '{"revisions":[{"revision":"0123456789abcdef","time":"2026-01-01T00:00:00.000+0000"}]}',
    others: { 'no time': ['{"revisions":[{"revision":"0123"}]}'], 'JSON that was cut': ['{"revisions":[{"re'] },
  },
  'The lines of a gem': {
    type: 'gems',
    path: 'info/tool',
    good: `---\n1.0.0 |checksum:${'a'.repeat(64)}\n`,
    others: { 'a list that was cut': [`---\n1.0.0 |checksum:${'a'.repeat(60)}`], 'an empty text': [''] },
  },
  'A repomd.xml': {
    type: 'rpm',
    path: 'repodata/repomd.xml',
    good: repomd,
    others: {
      'a repomd.xml that was cut': [repomd.slice(0, -12)],
      'a page that is XML': ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>'],
    },
  },
  'An InRelease': {
    type: 'debian',
    path: 'dists/stable/InRelease',
    good: inRelease,
    others: {
      'an InRelease that was cut': [inRelease.slice(0, -12)],
      'an InRelease without its signature': [inRelease.replace(/-----BEGIN PGP SIGNATURE-----[\s\S]*/, '')],
      'a text that is signed, and no Release': [inRelease.replace('SHA256:', 'Hashes:')],
    },
  },
  'An index of charts': {
    type: 'helm',
    path: 'index.yaml',
    good: `apiVersion: v1\nentries:\n  web:\n${chart}\ngenerated: 2026-01-01T00:00:00Z\n`,
    others: {
      'an answer of Kubernetes': ['{"apiVersion":"v1","kind":"Status","status":"Failure"}'],
      'an index that was cut': [index.slice(0, -3)],
    },
  },
  'A registration of NuGet': {
    type: 'nuget',
    path: 'v3/registration/tool/index.json',
    at: '/reg/tool/index.json',
    beside: { '/index.json': '{"resources":[{"@id":"/reg/","@type":"RegistrationsBaseUrl/3.6.0"}]}' },
    good: '{"items":[{"items":[{"catalogEntry":{"id":"Tool","version":"1.0.0"}}]}]}',
    others: {
      'a registration of another package': [
        '{"items":[{"items":[{"catalogEntry":{"id":"Other","version":"1.0.0"}}]}]}',
      ],
      'an empty object': ['{}'],
      'JSON that was cut': ['{"items":[{"items":[{"catalogEntry":{"id":"Tool","ver'],
    },
  },
  'A feed of Chocolatey': {
    type: 'chocolatey',
    path: "FindPackagesById()?id='tool'",
    at: "/FindPackagesById()?id='tool'&semVerLevel=2.0.0",
    good: '<feed><entry><title>Tool</title><properties><Version>1.0.0</Version></properties></entry></feed>',
    others: { 'XML that was cut': ['<feed><entry><title>Tool</title><properties><Vers'] },
  },
  'A list of tags': {
    type: 'docker',
    path: 'app/tags/list',
    at: '/v2/app/tags/list?n=1000',
    good: '{"name":"app","tags":["1"]}',
    others: { 'an empty object': ['{}'], 'JSON that was cut': ['{"name":"app","ta'] },
  },
  'A tag of an image': {
    type: 'docker',
    path: 'app/manifests/1',
    at: '/v2/app/manifests/1',
    good: manifest,
    headers: { 'Content-Type': imageMediaType, 'Docker-Content-Digest': digestOf(manifest) },
  },
};

const javaArchive = (ending: string): UpstreamContent => {
  const [path, good] = [`g/a/1.0/a-1.0.${ending}`, zipOf([{ path: 'A.class' }])];
  return { type: 'maven', path, good, others: { ...plainText, nothing: [''] } };
};

/** Files of which the upstream promises no hash. */
export const filesWithoutHash: Readonly<Record<string, UpstreamContent>> = {
  'A POM': { type: 'maven', path: 'g/a/1.0/a-1.0.pom', good: '<project/>', others: plainText },
  'A jar': javaArchive('jar'),
  'An archive for Android': javaArchive('aar'),
  'The description of a version of a Go module': {
    type: 'go',
    path: 'corp.example/tool/@v/v1.0.0.info',
    good: '{"Version":"v1.0.0"}',
    others: plainText,
  },
  'A go.mod': { type: 'go', path: 'corp.example/tool/@v/v1.0.0.mod', good: 'module corp.example/tool\n' },
  'A Go module': {
    type: 'go',
    path: 'corp.example/tool/@v/v1.0.0.zip',
    good: moduleZip('corp.example/tool', 'v1.0.0'),
    others: plainText,
  },
  'A package of Debian': {
    type: 'debian',
    path: 'pool/main/t/tool/tool_1.0_all.deb',
    good: debOf({ name: 'tool', version: '1.0' }),
    others: plainText,
  },
  'The sources of a package of Debian': {
    type: 'debian',
    path: 'pool/main/t/tool/tool_1.0.dsc',
    good: 'Format: 3.0 (native)\n',
  },
  'A wheel': {
    type: 'pypi',
    path: 'files/foo/1.0/foo-1.0-py3-none-any.whl',
    at: '/foo-1.0-py3-none-any.whl',
    good: wheelOf({ name: 'foo', version: '1.0' }),
    beside: { '/simple/foo/': simple('<a href="/foo-1.0-py3-none-any.whl">foo</a>') },
    others: plainText,
  },
  'A chart': {
    type: 'helm',
    path: 'charts/web/web-1.0.0.tgz',
    at: '/web.tgz',
    good: gzipSync('chart'),
    beside: { '/index.yaml': `apiVersion: v1\nentries:\n  web:\n${chart}\n` },
    others: plainText,
  },
  'A tarball of npm': {
    type: 'npm',
    path: 'foo/-/foo-1.0.0.tgz',
    at: '/foo.tgz',
    good: gzipSync('tarball'),
    beside: {
      '/foo': JSON.stringify({
        name: 'foo',
        versions: { '1.0.0': { version: '1.0.0', dist: { tarball: '/foo.tgz' } } },
      }),
    },
    others: plainText,
  },
};
