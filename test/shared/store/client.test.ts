import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

/** Above what is kept in the table, so that the bytes go to the object store. */
const content = (mark: string): string => mark.padEnd(300_000, '.');

const putsOf = () => service.store.calls.filter(({ method, key }) => method === 'PUT' && key.startsWith('blobs/'));

// 409 is what S3 answers when two write an object under a condition at once, and the first one has not ended.
describe.each([
  ['conflict', 409],
  ['slow-down', 503],
] as const)('A write of an object that S3 answers by %s', (fault, status) => {
  it.each([1, 3])('is tried again, %i times, and succeeds', async (times) => {
    const path = `${uniqueName()}/1.0.0/file`;
    const bytes = content(path);
    service.store.forget();
    service.store.inject({ fault, method: 'PUT', keyPrefix: 'blobs/', times });
    expect((await world.attempt(path, bytes)).status).toBe(201);
    const puts = putsOf();
    expect(puts.map((call) => call.status)).toEqual([...Array.from({ length: times }, () => status), 200]);
    expect(new Set(puts.map(({ key }) => key)).size).toBe(1);
    const { headers } = await service.client.attempt(getUniversalFile, {
      params: world.params({ path }),
      as: world.admin.bearer,
    });
    expect(await (await fetch(String(headers.location))).text()).toBe(bytes);
  });

  it('is given up after the fourth time, and nothing is published', async () => {
    const path = `${uniqueName()}/1.0.0/file`;
    service.store.forget();
    service.store.inject({ fault, method: 'PUT', keyPrefix: 'blobs/' });
    expect((await world.attempt(path, content(path))).code).toBe('SERVICE_UNAVAILABLE');
    expect(putsOf()).toHaveLength(4);
    service.store.heal();
    expect(await world.statusOf(path)).toBe(404);
  });
});
