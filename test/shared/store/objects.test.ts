import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { environment } from '../../../shared/config.ts';
import { headObject, readObject } from '../../../shared/store/objects.ts';

/** Stands in for S3 with one status for whatever is asked. */
let status = 404;
const store = createServer((_request, response) => response.writeHead(status, { 'content-length': 0 }).end());
const before = { ...process.env };

beforeAll(async () => {
  await once(store.listen(0, '127.0.0.1'), 'listening');
  Object.assign(process.env, {
    [environment.storeBucket]: 'bucket',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'tests',
    AWS_SECRET_ACCESS_KEY: 'tests',
  });
});

afterAll(() => {
  process.env = before;
  store.closeAllConnections();
  store.close();
});

describe('An object that is not there', () => {
  it.each([404, 403])('is known by status %i, which S3 answers by what the role may list', async (answered) => {
    status = answered;
    const signal = AbortSignal.timeout(5_000);
    expect(await headObject('blobs/none', signal)).toBeUndefined();
    expect(await readObject('blobs/none', signal)).toBeUndefined();
  });

  it('is not what any other refusal means', async () => {
    status = 400;
    await expect(headObject('blobs/none', AbortSignal.timeout(5_000))).rejects.toThrow('S3 answered 400 to HEAD');
  });
});
