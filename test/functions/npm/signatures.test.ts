import { getNpmDocument } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { abbreviatedType, packumentOf, useNpmRepository } from '../../harness/npm.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);

const keys = { keys: [{ keyid: 'SHA256:abc', keytype: 'ecdsa-sha2-nistp256', key: 'MFkw' }] };
const attestations = { attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle: {} }] };

/** An upstream with keys, and with attestations of a package that was published now. */
const serve = (): void => {
  upstream.answer = ({ url = '', headers }, response) => {
    const isFull = !headers.accept?.includes(abbreviatedType);
    const now = new Date().toISOString();
    const packument = { ...packumentOf(upstream.url, '@acme/tool', { '1.0.0': {} }, isFull), time: { '1.0.0': now } };
    if (url === '/-/npm/v1/keys') response.end(JSON.stringify(keys));
    else if (url === '/-/npm/v1/attestations/@acme%2ftool@1.0.0') response.end(JSON.stringify(attestations));
    else if (url === '/@acme%2ftool') response.end(JSON.stringify({ ...packument, modified: now }));
    else response.writeHead(404).end();
  };
};
beforeEach(serve);

type Gate = NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'];

const remote = async (releaseGate: Gate = null): Promise<Named> =>
  createRemote(service, npm.setting.workspace, { remoteRepositoryUrl: upstream.url, releaseGate });

const read = async (repository: Named, path: string) => npm.send(getNpmDocument, path, { repository });

const ofTool = '-/npm/v1/attestations/@acme%2ftool@1.0.0';

describe('What `npm audit signatures` reads', () => {
  it('is what the upstream has, also through a virtual repository', async () => {
    const repository = await remote();
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, repository]);
    for (const each of [repository, virtual]) {
      expect(JSON.parse((await read(each, '-/npm/v1/keys')).text)).toEqual(keys);
      expect(JSON.parse((await read(each, ofTool)).text)).toEqual(attestations);
    }
  });

  itAnswers('403 VERSION_HELD when the gate holds the version back', async () =>
    read(await remote({ minimumAgeHours: 72 }), ofTool),
  );

  itAnswers('404 FILE_NOT_FOUND when a local repository has the package, and no upstream is asked', async () => {
    const name = await npm.publish();
    const virtual = await createVirtual(service, npm.setting.workspace, [npm.setting.repository, await remote()]);
    const answer = await read(virtual, `-/npm/v1/attestations/${name}@1.0.0`);
    expect(upstream.requests).toEqual([]);
    return answer;
  });

  itAnswers('404 FILE_NOT_FOUND when there are none', async () => [
    await read(npm.setting.repository, '-/npm/v1/keys'),
    await read(await remote(), '-/npm/v1/attestations/other@1.0.0'),
  ]);
});
