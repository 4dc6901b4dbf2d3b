import { createGemKey, getGemKey } from '../../../functions/gems/contracts.ts';
import { listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { isToken } from '../../../shared/auth/tokens.ts';
import { accountHeader, bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { newPassword } from '../../harness/world.ts';
import { gemOf, useGems } from '../../types/gems.ts';

const service = useService();
const { setting, send, push } = useGems(service);

const signIn = async (as: string) =>
  send(createGemKey, 'api/v1/api_key', {
    as,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('name=laptop&index_rubygems=true'),
  });

describe('POST /gems/{workspace}/{repository}/api/v1/api_key', () => {
  itAnswers('200 with the token that gem sends as a password, which publishes', async () => {
    const token = setting.admin.bearer.replace('Bearer ', '');
    const answer = await signIn(accountHeader('token', token));
    expect(answer.text).toBe(token);
    return [answer, await push(gemOf({ name: 'signed-in', version: '1.0.0' }), { as: answer.text })];
  });

  itAnswers(
    '200 with a new token for a password, which publishes, lasts 90 days, and holds nothing of it',
    async () => {
      const deployer = await service.world.member(setting.workspace);
      await service.world.grant(setting.workspace, setting.repository, deployer, 'canDeploy');
      const answers = [await signIn(deployer.account), await signIn(deployer.account)];
      const before = Date.now();
      expect(new Set(answers.map(({ text }) => text)).size).toBe(2);
      for (const { text } of answers) expect(isToken(text)).toBe(true);
      const key = answers[0]?.text ?? '';
      const tokens = await service.client.succeed(listPersonalAccessTokens, { as: bearerHeader(key) });
      const made = tokens.filter(({ name }) => name === `gem signin ${new Date(before).toISOString().slice(0, 10)}`);
      expect(made).toHaveLength(2);
      for (const { expirationDate } of made)
        expect(Math.round((Date.parse(expirationDate ?? '') - before) / 86_400_000)).toBe(90);
      return [...answers, await push(gemOf({ name: 'signed-in-by-password', version: '1.0.0' }), { as: key })];
    },
  );

  itAnswers('401 UNAUTHENTICATED for a wrong password, and no token is made', async () => {
    const { username } = await service.world.member(setting.workspace);
    service.proxy.forget();
    const answer = await signIn(accountHeader(username, newPassword()));
    expect(service.proxy.writes.filter(({ functionId }) => functionId === createGemKey.id)).toEqual([]);
    return answer;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND where the user may not read, and no token is made', async () => {
    const { account } = await service.world.member(setting.workspace);
    service.proxy.forget();
    const answer = await signIn(account);
    expect(service.proxy.writes.filter(({ functionId }) => functionId === createGemKey.id)).toEqual([]);
    return answer;
  });

  itAnswers('200 with the same token for one with limits, also to reading, as for GET', async () => {
    const { workspace, repository } = setting;
    const member = await service.world.member(workspace);
    await service.world.grant(workspace, repository, member, 'canView');
    const { token } = await service.world.token(member, null, { readOnly: true });
    const as = accountHeader('token', token);
    service.proxy.forget();
    const answers = [await signIn(as), await send(getGemKey, 'api/v1/api_key', { as })];
    for (const { text } of answers) expect(text).toBe(token);
    expect(service.proxy.writes.filter(({ functionId }) => functionId === createGemKey.id)).toEqual([]);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'npm');
    return send(createGemKey, 'api/v1/api_key', {
      repository,
      as: setting.admin.bearer,
      body: Buffer.from('name=laptop'),
    });
  });
});
