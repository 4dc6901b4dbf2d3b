import { deletePackageVersion } from '../../functions/packages/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { statusCounts } from '../harness/concurrency.ts';
import { npmFormat } from '../harness/package-formats.ts';
import { moduleOf, uploadForm, usePythonRepository, wheelOf } from '../harness/pypi.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { uniqueName } from '../harness/world.ts';

const service = useService();
const python = usePythonRepository(service);

const sides = Array.from({ length: 40 }, (_, side) => side);

/** The machine may be busy with other suites: the best of three rounds tells what the service can do. */
const roundsMax = 3;

/** Sends requests of all sides at once, in rounds, until all of one round succeed; returns the answers of the last one. */
const bestOf = async (round: () => Promise<readonly Answer[]>): Promise<Record<string, number>> => {
  let counts: Record<string, number> = {};
  for (let rounds = 0; rounds < roundsMax && counts['200'] !== sides.length; rounds += 1)
    counts = statusCounts(await round());
  return counts;
};

describe('40 requests that change the same item at once', () => {
  beforeAll(async () => {
    // The first call starts the function.
    await python.publish({ name: uniqueName('first'), version: '1.0' });
  });

  it('wheels of one version: each is answered 200, and is on the page', async () => {
    const counts = await bestOf(async () => {
      const version = { name: uniqueName('crowded'), version: '1.0' };
      const answers = await Promise.all(
        sides.map(async (side) => {
          const wheel = wheelOf({ ...version, content: `of ${side}` });
          return python.upload(uploadForm(`${moduleOf(version.name)}-1.0-cp3${side}-none-any.whl`, wheel, version));
        }),
      );
      const { files } = await python.page(version.name);
      expect(files).toHaveLength(answers.filter(({ status }) => status === 200).length);
      return answers;
    });
    expect(counts).toEqual({ 200: sides.length });
    expect(await brokenContent(service)).toEqual([]);
  }, 120_000);

  it('deletions of versions of one package: each is answered 200, and the package is gone', async () => {
    const { workspace, admin } = python.setting;
    const repository = await service.world.repository(workspace);
    const place = { workspace, repository, as: admin.bearer };
    const counts = await bestOf(async () => {
      const name = uniqueName('crowded');
      const versions = sides.map((side) => `1.0.${side}`);
      for (const version of versions)
        expect((await npmFormat.publish(service, { ...place, name, version }, version)).status).toBe(201);
      const answers = await Promise.all(
        versions.map(async (version) =>
          service.client.call(deletePackageVersion, {
            params: { workspace: workspace.id, repository: repository.id, package: name, version },
            as: admin.bearer,
          }),
        ),
      );
      const left = answers.filter(({ status }) => status !== 200).length;
      expect((await npmFormat.versions(service, { ...place, name }))?.length ?? 0).toBe(left);
      return answers;
    });
    expect(counts).toEqual({ 200: sides.length });
    expect(await brokenContent(service)).toEqual([]);
  }, 180_000);
});
