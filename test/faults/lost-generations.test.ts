import { damageObjects, loseObjects, storedObjects } from '../harness/object-store.ts';
import type { PackageFormat, VersionAddress } from '../harness/package-format.ts';
import { nameIn } from '../harness/package-formats.ts';
import { createVirtual } from '../harness/repositories.ts';
import { oneOfEach } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { uniqueName } from '../harness/world.ts';
import { debianFormat } from '../types/debian.ts';
import { gemsFormat } from '../types/gems.ts';
import { rpmFormat } from '../types/rpm.ts';

/** What becomes of documents that hash each other when the store has lost all bytes of their repository. */
jest.setTimeout(180_000);

const service = useService();
let as: string;
beforeEach(async () => {
  as = (await service.world.systemAdmin()).bearer;
});

const formats = oneOfEach<PackageFormat>([[debianFormat, gemsFormat, rpmFormat]], process.env.ALL_LOSSES !== undefined);

/** What is broken beside documents of before, which nobody has asked for since: whoever has their hashes is told that they are lost. */
const broken = async (): Promise<string[]> =>
  (await brokenContent(service)).filter((each) => !each.endsWith(' has no object'));

describe.each([
  ['lost', loseObjects],
  ['damaged', damageObjects],
] as const)('Documents that hash each other, all bytes of whose repository are %s,', (_, loss) => {
  it.each(
    formats.flatMap((format) =>
      ['before the next publish', 'after the next publish', 'from a virtual repository'].map(
        (when) => [format.packageType, when, format] as const,
      ),
    ),
  )('are made anew of %s for whoever reads them %s', async (packageType, when, format) => {
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, packageType);
    const name = nameIn(format, uniqueName('lost'));
    const address: VersionAddress = { workspace, repository, name, version: '1.0.0', as };
    const next = { ...address, version: '2.0.0' };
    const content = uniqueName('content');
    expect((await format.publish(service, address, content)).status).toBe(201);
    const isVirtual = when === 'from a virtual repository';
    const read = isVirtual ? await createVirtual(service, workspace, [repository], { packageType }) : repository;
    const versions = async () => format.versions(service, { ...address, repository: read });
    expect(await versions()).toEqual(['1.0.0']);

    await loss(service, [...(await storedObjects(service, `blobs/${workspace.id}/`))]);
    await service.runner.reload();
    if (when !== 'after the next publish') expect(await versions()).toEqual(['1.0.0']);
    expect((await format.publish(service, next, content)).status).toBe(201);
    expect(await versions()).toEqual(['1.0.0', '2.0.0']);
    expect((await format.publish(service, address, content)).code).toBe('VERSION_EXISTS');
    for (const each of [address, next]) expect((await format.download(service, each)).text).toBe(content);
    expect(await broken()).toEqual([]);

    // What is made from then on is as it was before the loss.
    expect((await format.publish(service, { ...address, version: '3.0.0' }, content)).status).toBe(201);
    expect(await versions()).toEqual(['1.0.0', '2.0.0', '3.0.0']);
    expect(await broken()).toEqual([]);
  });
});
