import { getHelmDocument, publishChart } from '../../../functions/helm/contracts.ts';
import { deleteContent } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { fetchChecked } from '../../harness/client.ts';
import { chartOf, contentIn, errorOf, useHelmRepository } from '../../harness/helm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const helm = useHelmRepository(service);

const newRepository = async () => service.world.repository(helm.setting.workspace, undefined, 'helm');

describe('GET /helm/{workspace}/{repository}/index.yaml', () => {
  itAnswers('200 with an empty index for a repository without charts, as helm needs to add it', async () => {
    const repository = await newRepository();
    const answer = await helm.get('index.yaml', { repository });
    expect(JSON.parse(answer.text)).toEqual({
      apiVersion: 'v1',
      generated: '1970-01-01T00:00:00.000Z',
      serverInfo: { contextPath: helm.pathOf('', repository).slice(0, -1) },
      entries: {},
    });
    expect(answer.headers['content-type']).toBe('application/yaml');
    return answer;
  });

  it('lists the newest version first, by SemVer, and forgets what was deleted', async () => {
    const repository = await newRepository();
    const name = uniqueName('chart');
    const versions = ['1.10.0', '1.9.0', '2.0.0-rc.2', '2.0.0-rc.10', '1.9.0+b', '1.9.0+a'];
    for (const version of versions) await helm.publish({ name, version }, repository);
    const shown = async () => (await helm.index(repository)).entries[name]?.map(({ version }) => version);
    expect(await shown()).toEqual(['2.0.0-rc.10', '2.0.0-rc.2', '1.10.0', '1.9.0+b', '1.9.0+a', '1.9.0']);
    const params = { workspace: helm.setting.workspace.id, repository: repository.id };
    await service.client.succeed(deleteContent, { params, as: helm.setting.admin.bearer });
    expect(await shown()).toBeUndefined();
  });

  it('has an ETag that changes with each publication, and is sent compressed to who takes that', async () => {
    const repository = await newRepository();
    await helm.publish({}, repository);
    const before = await helm.get('index.yaml', { repository });
    const known = { 'If-None-Match': String(before.headers.etag) };
    expect((await helm.get('index.yaml', { repository, headers: known })).status).toBe(304);
    await helm.publish({}, repository);
    const after = await helm.get('index.yaml', { repository, headers: known });
    expect([after.status, Object.keys((JSON.parse(after.text) as { entries: object }).entries)]).toEqual([
      200,
      expect.arrayContaining([expect.any(String)]),
    ]);
    const head = await helm.get('index.yaml', { repository, method: 'HEAD' });
    expect([head.status, head.headers.etag, head.text]).toEqual([200, after.headers.etag, '']);
    const url = service.runner.url + helm.pathOf('index.yaml', repository);
    const headers = { Authorization: helm.setting.admin.bearer, 'Accept-Encoding': 'gzip' };
    const compressed = await fetchChecked(getHelmDocument, url, headers);
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(await compressed.text()).toBe(after.text);
    const refused = await fetchChecked(getHelmDocument, url, { ...headers, 'Accept-Encoding': 'identity, gzip;q=0' });
    expect(refused.headers.get('content-encoding')).toBeNull();
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(helm.setting.workspace);
    return [await helm.get('index.yaml', { repository }), await helm.get('charts/a-1.0.0.tgz', { repository })];
  });
});

describe('GET /helm/{workspace}/{repository}/charts/{file}', () => {
  itAnswers('200 with the chart at the address that the index has, in either spelling of a plus', async () => {
    const chart = { name: uniqueName('chart'), version: '1.0.0+build.1', content: 'the content' };
    const file = await chartOf(chart);
    expect((await helm.sendForm(publishChart, 'api/charts', { chart: file })).status).toBe(201);
    const path = String((await helm.index()).entries[chart.name]?.[0]?.urls);
    const answers = [await helm.get(path), await helm.get(decodeURIComponent(path))];
    for (const { headers, text } of answers)
      expect([headers.etag, contentIn(text)]).toEqual([`"${sha256(file)}"`, 'the content']);
    return answers;
  });

  itAnswers('200 for a chart whose name ends like a version, and not under the name of another chart', async () => {
    const one = await helm.publish({ name: 'web-1.0.0', version: '2.0.0', content: 'one' });
    const other = await helm.publish({ name: 'web', version: '1.0.0-2.0.0', content: 'other' });
    const { entries } = await helm.index();
    expect([entries[one.name]?.[0]?.urls, entries[other.name]?.[0]?.urls]).toEqual([
      ['charts/web-1.0.0/web-1.0.0-2.0.0.tgz'],
      ['charts/web-1.0.0-2.0.0.tgz'],
    ]);
    const answers = [
      await helm.get('charts/web-1.0.0/web-1.0.0-2.0.0.tgz'),
      await helm.get('charts/web-1.0.0-2.0.0.tgz'),
    ];
    expect(answers.map(({ text }) => contentIn(text))).toEqual(['one', 'other']);
    return answers;
  });

  itAnswers('302 to the object store for a large chart', async () => {
    const chart = await helm.publish({ content: 'x'.repeat(300_000) });
    const answer = await helm.get(`charts/${chart.name}-1.0.0.tgz`);
    const sent = await fetch(String(answer.headers.location));
    expect(Buffer.from(await sent.arrayBuffer()).equals(await chartOf(chart))).toBe(true);
    return answer;
  });

  itAnswers('404 FILE_NOT_FOUND for what is not there, and for paths of no chart', async () => {
    const { name } = await helm.publish();
    const paths = [
      `charts/${name}-1.0.0.tgz.prov`,
      `charts/${name}-1.0.1.tgz`,
      `charts/${name}-1.0.0`,
      `charts/${name.toUpperCase()}-1.0.0.tgz`,
      `charts/../charts/${name}-1.0.0.tgz`,
      `charts/..%2f${name}-1.0.0.tgz`,
      `charts/${name}%2Dx/${name}-1.0.0.tgz`,
      `charts//${name}-1.0.0.tgz`,
      `${name}-1.0.0.tgz`,
      'index.yaml/',
      'index.yml',
    ];
    const answers = await Promise.all(paths.map(async (path) => helm.send(getHelmDocument, path)));
    expect(answers.map(errorOf)).toEqual(answers.map(() => expect.any(String) as string));
    return answers;
  });
});
