import { getGemKey } from '../../../functions/gems/contracts.ts';
import { tokenHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { gemOf, useGems } from '../../types/gems.ts';

const service = useService();
const { setting, send, push } = useGems(service);

describe('GET /gems/{workspace}/{repository}/api/v1/api_key', () => {
  itAnswers('200 with the token of the request, which publishes', async () => {
    const token = setting.admin.bearer.replace('Bearer ', '');
    const answer = await send(getGemKey, 'api/v1/api_key', { as: tokenHeader(token) });
    expect(answer.text).toBe(token);
    expect((await push(gemOf({ name: 'keyed', version: '1.0.0' }), { as: answer.text })).status).toBe(200);
    return answer;
  });

  itAnswers('403 FORBIDDEN for a username and a password, which says what to do', async () => {
    const deployer = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, setting.repository, deployer, 'canDeploy');
    const answer = await send(getGemKey, 'api/v1/api_key', { as: deployer.account });
    expect(answer.problem?.detail).toMatch(/the username token .* a token/);
    expect(answer.text).not.toContain(deployer.account.replace('Basic ', ''));
    return answer;
  });

  itAnswers('200 to a key of an earlier release, which stands for a username and a password', async () => {
    const deployer = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, setting.repository, deployer, 'canDeploy');
    return push(gemOf({ name: 'keyed-by-password', version: '1.0.0' }), { as: deployer.account });
  });
});
