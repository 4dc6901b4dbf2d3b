import { randomBytes } from 'node:crypto';
import { updateBlobUpload } from '../../functions/docker/contracts.ts';
import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { useImages } from '../harness/images.ts';
import { storedObjects } from '../harness/object-store.ts';
import { useService } from '../harness/service.ts';
import type { Injection } from '../harness/table-calls.ts';
import { uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

/** A door in front of an API whose table does not answer for a moment. */
const service = useService({ hasDoor: true });
const images = useImages(service);
const content = randomBytes(6_000_000);

/** As often as the SDK tries a call. */
const call = { fault: 'server-error', times: 3 } as const;

const publish = async (...injections: readonly Omit<Injection, 'fault'>[]) => {
  const { workspace, admin } = images.setting;
  const files = await service.world.repository(workspace, undefined, 'universal');
  for (const injection of injections)
    service.proxy.inject({ ...call, functionId: publishUniversalFile.id, ...injection });
  return service.client.sendTo(publishUniversalFile, {
    method: 'PUT',
    path: `/universal/${workspace.name}/${files.name}/${uniqueName()}/1.0.0/file.bin`,
    headers: [['Authorization', admin.bearer]],
    body: content,
  });
};

const staged = async (): Promise<Set<string>> => storedObjects(service, 'staging/');

describe('A large body while the service is busy', () => {
  it.each([
    ['when the service is asked', { operation: 'BatchGetItem' }],
    ['when the endpoint is called', { operation: 'BatchGetItem', after: 1 }],
    ['when the reference is used', { operation: 'TransactWriteItems' }],
    ['when the file is published', { operation: 'TransactWriteItems', after: 1 }],
  ])('is sent once, %s', async (_, injection) => {
    const before = await staged();
    expect((await publish(injection)).status).toBe(201);
    expect(await staged()).toEqual(before);
  });

  it('is refused when the service stays busy', async () => {
    const before = await staged();
    const answer = await publish({ operation: 'BatchGetItem', times: 9, after: 1 });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(await staged()).toEqual(before);
  });

  it('is kept where the endpoint took it although its answer was lost', async () => {
    const address = await images.begin('lost');
    // The SDK sends it three times, and the service once more at the end of its time.
    const lost = { fault: 'commit-then-drop', operation: 'TransactWriteItems', after: 1, times: 6 } as const;
    service.proxy.inject({ ...lost, functionId: updateBlobUpload.id });
    // The body is there already, so it does not follow what is there.
    expect((await images.send('PATCH', address, { body: content })).status).toBe(416);
    const progress = await images.get(address);
    expect([progress.status, progress.headers.range]).toEqual([204, `0-${content.length - 1}`]);
    expect((await images.complete(images.locationOf(progress), content)).status).toBe(201);
  });
});
