import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import { newName } from '../gates/gated-type.ts';
import { npmGate } from '../gates/npm.ts';
import { answersAfter } from '../harness/concurrency.ts';
import { useRemoteClient } from '../harness/remote-repositories.ts';

const { service, upstream, remote, get, setting } = useRemoteClient();
const npm = npmGate({
  upstream,
  ask: async (contract, type, repository, path) => get(contract, type, repository, path),
});

/** Changes of a gate; `npm run test:races` makes 1,000. */
const rounds = Number(process.env.REVOKE_ROUNDS ?? 4);

describe('A release gate', () => {
  it('holds and lets go with the next request, while others read', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const repository = await remote({ packageType: 'npm' });
    const [path = ''] = npm.files(name, '1.1.0');
    const as = setting.admin.bearer;
    const params = { workspace: setting.workspace.id, repository: repository.id };
    const ask = async () => get(getNpmDocument, 'npm', repository, path);
    for (let round = 0; round < rounds; round += 1) {
      const [before, after] = round % 2 === 0 ? [200, 403] : [403, 200];
      const releaseGate = after === 403 ? { minimumAgeHours: 72 } : null;
      const statuses = await answersAfter(
        ask,
        ({ status }) => status === before,
        async () => service.client.succeed(updateRepository, { params, body: { releaseGate }, as }),
      );
      expect([round, new Set(statuses)]).toEqual([round, new Set([after])]);
    }
  }, 3_600_000);
});
