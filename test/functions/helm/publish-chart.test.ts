import { publishChart } from '../../../functions/helm/contracts.ts';
import { listPackages } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import {
  archiveOf,
  chartOf,
  chartYamlOf,
  contentIn,
  errorOf,
  provenanceOf,
  useHelmRepository,
} from '../../harness/helm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { uniqueName } from '../../harness/world.ts';
import { tarballOf } from '../npm/documents.ts';

const service = useService();
const helm = useHelmRepository(service);

const newChart = (fields = {}) => ({ name: uniqueName('chart'), version: '1.0.0', ...fields });

const publish = async (file: Uint8Array | string, path = 'api/charts') =>
  helm.sendForm(publishChart, path, { chart: file });

const refused = async (files: Readonly<Record<string, string>>) => publish(await archiveOf(files));

describe('POST /helm/{workspace}/{repository}/api/charts', () => {
  itAnswers('201 with what clients expect, and the next read shows the chart with all that it says', async () => {
    const lines = [
      'appVersion: 1.20',
      'description: "Größe – ☃"',
      'keywords: [one, two]',
      'x-unknown: {kept: [1, true, null]}',
      'deprecated: true',
      'urls: [https://elsewhere.example]',
    ];
    const chart = newChart({ lines: lines.join('\n') });
    const file = await chartOf(chart);
    const answer = await publish(file);
    expect(answer.result).toEqual({ saved: true });
    expect((await helm.index()).entries[chart.name]).toEqual([
      {
        apiVersion: 'v2',
        name: chart.name,
        version: '1.0.0',
        appVersion: '1.2',
        description: 'Größe – ☃',
        keywords: ['one', 'two'],
        'x-unknown': { kept: [1, true, null] },
        deprecated: true,
        urls: [`charts/${chart.name}-1.0.0.tgz`],
        created: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        digest: sha256(file),
      },
    ]);
    const params = { workspace: helm.setting.workspace.id, repository: helm.setting.repository.id };
    const { packages } = await service.client.succeed(listPackages, { params, as: helm.setting.admin.bearer });
    expect(packages).toContainEqual(
      expect.objectContaining({ name: chart.name, latestVersion: '1.0.0', versionCount: 1, sizeInBytes: file.length }),
    );
    return answer;
  });

  itAnswers('201 for a body that is the chart itself, and for a form with its provenance', async () => {
    const [plain, signed] = [newChart(), newChart({ version: 'v1.0.0-rc.1+build.5' })];
    const file = await chartOf(signed);
    const prov = provenanceOf(signed, file);
    const answers = [
      await helm.send(publishChart, 'api/charts', {
        headers: { 'Content-Type': 'application/octet-stream' },
        body: await chartOf(plain),
      }),
      await helm.sendForm(publishChart, 'api/charts', { chart: file, prov }),
    ];
    const { entries } = await helm.index();
    const [entry] = entries[signed.name] ?? [];
    const path = `charts/${signed.name}-v1.0.0-rc.1%2Bbuild.5.tgz`;
    expect([entries[plain.name]?.length, entry?.urls]).toEqual([1, [path]]);
    expect((await helm.get(`${path}.prov`)).text).toBe(prov);
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for a version that is there, in the words that clients print', async () => {
    const chart = await helm.publish({ content: 'first' });
    const answers = [
      await publish(await chartOf({ ...chart, content: 'second' })),
      await publish(await chartOf(chart)),
    ];
    expect(answers.map(errorOf)).toEqual(
      answers.map(() => expect.stringMatching(/already exists, and what was published never changes/) as string),
    );
    expect(contentIn((await helm.get(`charts/${chart.name}-1.0.0.tgz`)).text)).toBe('first');
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for the wish to overwrite, which nobody may', async () => {
    const answer = await publish(await chartOf(newChart()), 'api/charts?force');
    expect(errorOf(answer)).toContain("'force'");
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for a chart that helm would not take', async () => {
    const { name } = newChart();
    const yaml = (lines: string) => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${lines}`;
    const invalid = await Promise.all([
      refused({ [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0\n` }),
      refused({ 'other/Chart.yaml': yaml('') }),
      refused({ [`${name}/Chart.yaml`]: yaml('keywords: one') }),
      refused({ [`${name}/Chart.yaml`]: yaml('maintainers: [~]') }),
      refused({ [`${name}/Chart.yaml`]: `name: ${name}` }),
      helm.sendForm(publishChart, 'api/charts', { prov: 'only' }),
    ]);
    expect((await helm.index()).entries[name]).toBeUndefined();
    return invalid;
  });

  itAnswers('400 BODY_MALFORMED for what is no chart', async () => {
    const { name } = newChart();
    return Promise.all([
      publish('no archive'),
      refused({ [`${name}/values.yaml`]: '' }),
      refused({ [`${name}/Chart.yaml`]: 'a: &a [1]\nb: *a' }),
      refused({
        [`${name}/Chart.yaml`]: chartYamlOf({ name, version: '1.0.0' }),
        [`${name}/./Chart.yaml`]: 'name: other',
      }),
      refused({ [`${name}/../../Chart.yaml`]: '' }),
      publish(''),
    ]);
  });

  itAnswers('400 BODY_MALFORMED for a Chart.yaml that is a link, whatever it leads to', async () => {
    const { name } = newChart();
    const yaml = { name: 'Chart.yaml', content: chartYamlOf({ name, version: '1.0.0' }) };
    const links = [
      { name: `${name}/Chart.yaml`, type: 'symlink', linkname: '/proc/self/environ' },
      { name: `${name}/Chart.yaml`, type: 'symlink', linkname: '../Chart.yaml' },
      { name: `${name}/Chart.yaml`, type: 'link', linkname: 'Chart.yaml' },
    ] as const;
    const answers = await Promise.all(links.map(async (link) => publish(await tarballOf([yaml, link]))));
    expect(answers.map(errorOf)).toEqual(links.map(() => 'The chart must have a Chart.yaml in its folder.'));
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for a provenance file of another chart or of other bytes', async () => {
    const chart = newChart();
    const file = await chartOf(chart);
    const other = { ...chart, version: '2.0.0' };
    return Promise.all(
      [provenanceOf(chart, Buffer.from('other')), provenanceOf(other, file)].map(async (prov) =>
        helm.sendForm(publishChart, 'api/charts', { chart: file, prov }),
      ),
    );
  });

  it('publishes through a virtual repository to its upload target, where the index is complete', async () => {
    const { workspace, repository } = helm.setting;
    const virtual = await createVirtual(service, workspace, [repository], {
      packageType: 'helm',
      uploadLocalRepositoryId: repository.id,
    });
    const chart = await helm.publish({}, virtual);
    expect((await helm.index()).entries[chart.name]).toHaveLength(1);
    expect((await helm.index(virtual)).serverInfo.contextPath).toBe(helm.pathOf('', virtual).replace(/\/$/, ''));
    expect(await brokenContent(service)).toEqual([]);
  });
});
