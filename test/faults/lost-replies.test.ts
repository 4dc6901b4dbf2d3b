import { nameIn, packageFormats, sampledFormats } from '../harness/package-formats.ts';
import { whenAvailable } from '../harness/retry.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(120_000);

const service = useService();
const operation = 'TransactWriteItems';

/** So many publish at once. */
const sides = 8;

/** Modules of go, whose clients publish in parallel, and another type every day. */
const published = [
  ...new Set([...packageFormats.filter(({ packageType }) => packageType === 'go'), ...sampledFormats(0)]),
];

describe('A table that loses the reply of each write', () => {
  it.each(published)('does not make a publish fail that is done: $packageType', async (format) => {
    const { bearer: as } = await service.world.systemAdmin();
    const workspace = await service.world.workspace();
    const repository = await service.world.repository(workspace, undefined, format.packageType);
    const address = { workspace, repository, name: nameIn(format, uniqueName('lost')), as };
    await format.publish(service, { ...address, version: '0.0.1' }, 'starts the functions');
    service.proxy.conflictsLikeDynamoDb = true;
    // The SDK sends each call three times.
    service.proxy.inject(
      { fault: 'commit-then-drop', operation, eachCall: true, times: 1 },
      { fault: 'server-error', operation, eachCall: true, after: 1, times: 2 },
    );
    const versions = Array.from({ length: sides }, (_, side) => `1.0.${side}`);
    const answers = await Promise.all(
      versions.map(async (version) =>
        whenAvailable(async () => format.publish(service, { ...address, version }, version)),
      ),
    );
    // Who is told 503 of what was done would send it again, and be told 409.
    expect(answers.map(({ status }) => status)).toEqual(versions.map(() => 201));
    service.proxy.heal();
    expect(await format.versions(service, address)).toEqual(expect.arrayContaining(versions));
  });
});
