import { sha256 } from '../harness/bytes.ts';
import { damageObjects, loseObjects, storedBlobs } from '../harness/object-store.ts';
import { coreMetadata, uploadForm, usePythonRepository, wheelName, wheelOf } from '../harness/pypi.ts';
import { oneOfEach, sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { refusing, serving, useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const { get, publish, upload, remote, virtual, setting } = usePythonRepository(service);

/** Whether all losses are tried, as `npm run test:lost` does; `npm test` takes one of them, in turn. */
const allLosses = process.env.ALL_LOSSES !== undefined;

const losses = oneOfEach(
  [
    [
      ['deleted', loseObjects],
      ['damaged', damageObjects],
    ],
  ] as const,
  allLosses,
);

/** The object with these bytes. */
const objectsOf = async (bytes: string | Uint8Array): Promise<string[]> =>
  (await storedBlobs(service, setting.workspace.id)).filter((key) => key.includes(sha256(bytes)));

/** Loses the object with these bytes behind the back of the service, whose processes then begin anew. */
const lose = async (bytes: string | Uint8Array, loss: typeof loseObjects): Promise<void> => {
  const keys = await objectsOf(bytes);
  expect(keys).toHaveLength(1);
  await loss(service, keys);
  await service.runner.reload();
};

const newWheel = () => {
  const each = { name: uniqueName('lost'), version: '1.0' };
  const path = `files/${each.name}/1.0/${wheelName(each)}`;
  return { each, wheel: wheelOf(each), metadata: coreMetadata(each), path };
};

/** The upstream has a wheel, and METADATA beside it if its page says so. */
const offer = ({ each, wheel, metadata }: ReturnType<typeof newWheel>, hasMetadata: boolean): void => {
  const file = {
    filename: wheelName(each),
    url: `../../packages/${wheelName(each)}`,
    hashes: { sha256: sha256(wheel) },
    ...(hasMetadata && { 'core-metadata': { sha256: sha256(metadata) } }),
  };
  const page = { meta: { 'api-version': '1.0' }, name: each.name, files: [file] };
  const contents: Readonly<Record<string, string | Uint8Array>> = {
    [`/simple/${each.name}/`]: JSON.stringify(page),
    [`/packages/${wheelName(each)}`]: wheel,
    ...(hasMetadata && { [`/packages/${wheelName(each)}.metadata`]: metadata }),
  };
  upstream.answer = (request, response) => {
    const content = contents[request.url ?? ''];
    (content === undefined ? refusing(404) : serving(content, { ETag: `"${sha256(content)}"` }))(request, response);
  };
};

describe.each<(typeof losses)[number]>(losses)(
  'METADATA beside a wheel, whose object is %s behind its back,',
  (_, loss) => {
    it('is an error in a local repository until the same wheel is published again, which alone stores it', async () => {
      const { each, wheel, metadata, path } = newWheel();
      await publish(each);
      await lose(metadata, loss);
      await expect(get(`${path}.metadata`)).rejects.toThrow(/"status":500.*"code":"CONTENT_LOST"/);
      expect((await get(path)).status).toBe(200);
      const again = await upload(uploadForm(wheelName(each), wheel, each));
      expect([again.status, again.code]).toEqual([409, 'VERSION_EXISTS']);
      expect((await get(`${path}.metadata`)).text).toBe(metadata);
      expect(await brokenContent(service)).toEqual([]);
    });

    it.each([
      ['has METADATA of its own', true],
      ['has wheels alone', false],
    ])('is there for the next reader of a remote repository whose upstream %s', async (_upstream, hasMetadata) => {
      const offered = newWheel();
      const { wheel, metadata, path } = offered;
      offer(offered, hasMetadata);
      const repository = await remote({ remoteRepositoryUrl: upstream.url });
      const both: readonly Named[] = [repository, await virtual([repository])];
      const readers = allLosses ? both : sampleOf(both, today + Number(hasMetadata));
      expect((await get(`${path}.metadata`, { repository })).text).toBe(metadata);
      const kept = hasMetadata ? metadata : wheel;
      for (const reader of readers) {
        // Bytes of a wheel that are read in parts cannot be compared with its hash.
        await lose(kept, hasMetadata ? loss : loseObjects);
        upstream.requests.length = 0;
        const healed = await get(`${path}.metadata`, { repository: reader });
        expect([healed.status, healed.text, healed.headers['x-stockroom-cache']]).toEqual([
          200,
          metadata,
          'revalidated',
        ]);
        expect(upstream.requests).toHaveLength(1);
        expect(await objectsOf(kept)).toHaveLength(1);
        expect((await get(`${path}.metadata`, { repository: reader })).headers['x-stockroom-cache']).toBe('hit');
        expect(await brokenContent(service)).toEqual([]);
      }
    });
  },
);
