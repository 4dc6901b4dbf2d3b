import { createGemKey, getGemKey } from '../../../functions/gems/contracts.ts';
import { accountHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
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

  itAnswers('200 with what stands for a username and a password, which publishes, too', async () => {
    const deployer = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, setting.repository, deployer, 'canDeploy');
    const answer = await signIn(accountHeader(deployer.username, deployer.password));
    return [answer, await push(gemOf({ name: 'signed-in-by-password', version: '1.0.0' }), { as: answer.text })];
  });

  itAnswers('200 with the same token for one with limits, also to reading, as for GET', async () => {
    const { workspace, repository } = setting;
    const member = await service.world.member(workspace);
    await service.world.grant(workspace, repository, member, 'canView');
    const { token } = await service.world.token(member, null, { readOnly: true });
    const as = accountHeader('token', token);
    const answers = [await signIn(as), await send(getGemKey, 'api/v1/api_key', { as })];
    for (const { text } of answers) expect(text).toBe(token);
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
