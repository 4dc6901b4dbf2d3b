import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { definitions } from '../../../functions/package-definitions.ts';
import { findFormat } from '../../../functions/package-formats.ts';
import { getPackageReadme, publishPackage } from '../../../functions/packages/contracts.ts';
import { descriptionIn } from '../../../functions/pypi/readme.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import { archiveOf as crateOf, manifestOf } from '../../harness/cargo.ts';
import { moduleZip } from '../../harness/go.ts';
import { archiveOf as chartOf, chartYamlOf } from '../../harness/helm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { packed } from '../../harness/npm.ts';
import { moduleOf, sdistName, sdistOf, wheelName, wheelOf } from '../../harness/pypi.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';
import { zipOf } from '../../harness/zips.ts';
import { metadataYaml } from '../../types/gems.ts';
import { nupkgOf, nuspecOf } from '../../types/nupkgs.ts';
import { tarOf } from '../../types/tars.ts';

const service = useService();
let admin: Actor;
let workspace: Named;
beforeAll(async () => {
  admin = await service.world.systemAdmin();
  workspace = await service.world.workspace();
});

/** Publishes a file into a new repository of a type, and asks for the README. */
const readmeOf = async (
  type: PackageType,
  name: string,
  file: string,
  content: Buffer,
  fields: object = {},
  version = '1.0.0',
) => {
  const { id: repository } = await service.world.repository(workspace, undefined, type);
  const params = { workspace: workspace.id, repository };
  const texts = Object.entries(fields).map(([field, value]) => ({ field, value: String(value) }));
  const sent = await service.client.attempt(publishPackage, {
    params,
    bytes: formOf([...texts, { file, content }]),
    as: admin.bearer,
  });
  if (sent.status !== 201) throw new Error(sent.text);
  return service.client.attempt(getPackageReadme, {
    params: { ...params, package: name, version },
    as: admin.bearer,
  });
};

const ofNpm = async (files: Record<string, string | Uint8Array>) => {
  const name = uniqueName('package');
  return readmeOf('npm', name, 'package.tgz', await packed({ name, version: '1.0.0' }, files));
};

/** A wheel whose metadata ends with a description. */
const wheelWith = (project: { readonly name: string; readonly version: string }, description: string) => {
  const folder = `${moduleOf(project.name)}-${project.version}.dist-info`;
  const fields = `Metadata-Version: 2.1\nName: ${project.name}\nVersion: ${project.version}\n`;
  return wheelOf(project, {
    [`${folder}/METADATA`]: `${fields}Description-Content-Type: text/markdown\n\n${description}`,
  });
};

const text = '# Formatter\n\n<script>alert(1)</script> für alle\n';

describe('GET …/packages/{package}/versions/{version}/readme', () => {
  itAnswers('200 with the README of a version of npm, as text that no browser takes for a page', async () => {
    const answer = await ofNpm({ 'README.md': text, 'docs/README.md': 'deeper' });
    expect(answer.text).toBe(text);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    return answer;
  });

  itAnswers('200 with that of a crate', async () => {
    const name = uniqueName('crate');
    const crate = await crateOf({
      [`${name}-1.0.0/Cargo.toml`]: manifestOf({ name, version: '1.0.0' }),
      [`${name}-1.0.0/readme.markdown`]: text,
    });
    const answer = await readmeOf('cargo', name, `${name}-1.0.0.crate`, crate);
    expect(answer.text).toBe(text);
    return answer;
  });

  itAnswers('200 with that of a chart', async () => {
    const name = uniqueName('chart');
    const chart = await chartOf({
      [`${name}/Chart.yaml`]: chartYamlOf({ name, version: '1.0.0' }),
      [`${name}/README.md`]: text,
    });
    const answer = await readmeOf('helm', name, `${name}-1.0.0.tgz`, chart);
    expect(answer.text).toBe(text);
    return answer;
  });

  itAnswers('200 with that of a source distribution, and in which language it is written', async () => {
    const project = { name: uniqueName('project'), version: '1.0.0' };
    const answer = await readmeOf(
      'pypi',
      project.name,
      sdistName(project),
      await sdistOf(project, { 'README.rst': text }),
    );
    expect(answer.text).toBe(text);
    expect(answer.headers['content-type']).toBe('text/x-rst; charset=utf-8');
    return answer;
  });

  itAnswers('200 with the description of a wheel', async () => {
    const project = { name: uniqueName('project'), version: '1.0.0' };
    const answer = await readmeOf('pypi', project.name, wheelName(project), wheelWith(project, text));
    expect(answer.text).toBe(text.trim());
    expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8');
    return answer;
  });

  itAnswers('200 with the one that the nuspec of a package names, wherever it is', async () => {
    const id = uniqueName('Package');
    const elements = '<readme>docs\\Readme.md</readme>';
    const content = nupkgOf({
      id,
      version: '1.0.0',
      elements,
      files: { 'docs/README.md': text, 'README.md': 'other' },
    });
    const answer = await readmeOf('nuget', id.toLowerCase(), `${id}.1.0.0.nupkg`, content);
    expect(answer.text).toBe(text);
    return answer;
  });

  itAnswers('200 with that of a gem, and with none of its folders', async () => {
    const name = uniqueName('gem');
    const ofGem = (files: Record<string, string>) => ({
      'metadata.gz': gzipSync(metadataYaml({ name, version: '1.0.0' })),
      'data.tar.gz': gzipSync(tarOf({ 'docs/README.md': 'other', [`lib/${name}.rb`]: '', ...files })),
    });
    const answer = await readmeOf('gems', name, `${name}-1.0.0.gem`, tarOf(ofGem({ 'README.md': text })));
    expect(answer.text).toBe(text);
    expect((await readmeOf('gems', name, `${name}-1.0.0.gem`, tarOf(ofGem({})))).status).toBe(404);
    return answer;
  });

  itAnswers('200 with the description of a package of Chocolatey, unless it names a README', async () => {
    const id = uniqueName('tool');
    const send = (elements: string) => {
      const nuspec = nuspecOf({ id, version: '1.0.0', elements }).replace(
        'A package of a test',
        '# Tool\n\nDoes *it*.',
      );
      const content = nupkgOf({ id, version: '1.0.0', files: { [`${id}.nuspec`]: nuspec, 'README.md': text } });
      return readmeOf('chocolatey', id, `${id}.1.0.0.nupkg`, content);
    };
    const answer = await send('');
    expect(answer.text).toBe('# Tool\n\nDoes *it*.');
    expect((await send('<readme>README.md</readme>')).text).toBe(text);
    return answer;
  });

  itAnswers('200 with that beside the composer.json of a zip', async () => {
    const name = `acme/${uniqueName('package')}`;
    const zip = zipOf([
      { path: 'package/composer.json', content: JSON.stringify({ name, version: '1.0.0' }) },
      { path: 'docs/README.md', content: 'other' },
      { path: 'package/src/README.md', content: 'other' },
      { path: 'package/README.txt', content: 'second choice' },
      { path: 'package/readme.md', content: text },
    ]);
    const answer = await readmeOf('composer', name, 'package.zip', zip);
    expect(answer.text).toBe(text);
    return answer;
  });

  itAnswers('200 with that at the root of a Go module', async () => {
    const name = `example.com/acme/${uniqueName('module')}`;
    const zip = moduleZip(name, 'v1.0.0', { 'docs/README.md': 'other', 'README.md': text });
    const answer = await readmeOf('go', name, 'module.zip', zip, {}, 'v1.0.0');
    expect(answer.text).toBe(text);
    return answer;
  });

  itAnswers('200 with at most a megabyte, and no half of a character at its end', async () => {
    const answer = await ofNpm({ README: `a${'ü'.repeat(600_000)}` });
    expect(answer.text).toBe(`a${'ü'.repeat(524_287)}`);
    return answer;
  });

  itAnswers('404 README_NOT_FOUND for a gem whose files are a bomb', async () => {
    const name = uniqueName('gem');
    const bomb = gzipSync(Buffer.alloc(40_000_000));
    const gem = tarOf({ 'metadata.gz': gzipSync(metadataYaml({ name, version: '1.0.0' })), 'data.tar.gz': bomb });
    return readmeOf('gems', name, `${name}-1.0.0.gem`, gem);
  });

  itAnswers(
    '404 README_NOT_FOUND for a version without one, a wheel without one, and a type that has none',
    async () => {
      const project = { name: uniqueName('project'), version: '1.0.0' };
      const name = uniqueName('files');
      const [id, composed] = [uniqueName('Package'), `acme/${uniqueName('package')}`];
      return [
        await ofNpm({ 'docs/README.md': text, 'readme.html': text, 'readme/index.js': text }),
        await readmeOf('pypi', project.name, wheelName(project), wheelWith(project, '')),
        await readmeOf(
          'nuget',
          id.toLowerCase(),
          `${id}.1.0.0.nupkg`,
          nupkgOf({ id, version: '1.0.0', files: { 'README.md': text } }),
        ),
        await readmeOf(
          'composer',
          composed,
          'package.zip',
          zipOf([
            { path: 'composer.json', content: JSON.stringify({ name: composed, version: '1.0.0' }) },
            { path: 'docs/README.md', content: text },
          ]),
        ),
        await readmeOf('universal', name, 'README.md', Buffer.from(text), {
          packageName: name,
          packageVersion: '1.0.0',
        }),
      ];
    },
  );
});

it('is of the types that docs/console.md names', async () => {
  const rows = readFileSync('docs/console.md', 'utf8').matchAll(/^\| ([a-z, ]+) \| (none)?/gm);
  const said = Array.from(rows, ([, types = '', none]) => types.split(', ').map((type) => [type, none === undefined]));
  const formats = await Promise.all(
    definitions.map(async ({ name }) => [name, (await findFormat(name))?.format.readme !== undefined]),
  );
  expect(Object.fromEntries(said.flat())).toMatchObject(Object.fromEntries(formats));
});

describe('The description of a wheel', () => {
  const metadata = (head: string, body: string, end = '\n') => descriptionIn(Buffer.from([head, '', body].join(end)));

  it('follows the first empty line, and its type is in a field', () => {
    expect(metadata('Name: a\nDescription-Content-Type: text/markdown; variant=GFM', `${text}\n\nmore`)).toEqual({
      mediaType: 'text/markdown; charset=utf-8',
      text: `${text}\n\nmore`.trim(),
    });
    const plain = { mediaType: 'text/plain; charset=utf-8', text: 'plain' };
    expect(metadata('Name: a', 'plain', '\r\n')).toEqual(plain);
    expect(metadata('Name: a\nDescription-Content-Type: constructor', 'plain')).toEqual(plain);
  });

  it('is none where nothing follows', () => {
    expect([metadata('Name: a', ' \n'), descriptionIn(Buffer.from('Name: a\n'))]).toEqual([undefined, undefined]);
  });
});
