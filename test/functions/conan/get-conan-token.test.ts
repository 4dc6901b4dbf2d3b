import { getConanToken, getConanUser } from '../../../functions/conan/contracts.ts';
import { listPersonalAccessTokens } from '../../../functions/tokens/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { snapshot } from '../../harness/snapshot.ts';
import { useConan } from '../../types/conan.ts';

const service = useService();
const { setting, send } = useConan(service);

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

describe('GET /conan/{workspace}/{repository}/v2/users/authenticate', () => {
  itAnswers('200 with the token that was sent as the password', async () => {
    const token = setting.admin.bearer.replace('Bearer ', '');
    const answer = await send(getConanToken, 'v2/users/authenticate', { as: basic('token', token) });
    expect(answer.text).toBe(token);
    return answer;
  });

  itAnswers('200 with a new token for a password, which works for a day', async () => {
    const user = await service.world.member(setting.workspace, 'admin');
    const as = basic(user.username, user.password);
    const answer = await send(getConanToken, 'v2/users/authenticate', { as });
    const bearer = `Bearer ${answer.text}`;
    expect((await send(getConanUser, 'v2/users/check_credentials', { as: bearer })).text).toBe(user.username);
    const tokens = await service.client.succeed(listPersonalAccessTokens, { as: bearer });
    const token = tokens.find(({ name }) => name.startsWith('conan login '));
    const hours = (Date.parse(token?.expirationDate ?? '') - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    const id = token?.id ?? '';
    const stored = [...(await snapshot())].filter(([key]) => key.includes(id)).map(([, item]) => item['expiresAt']);
    expect(stored).toEqual([0, 1].map(() => Math.ceil(Date.parse(token?.expirationDate ?? '') / 1000)));
    return answer;
  });

  itAnswers('401 UNAUTHENTICATED for a wrong password', async () =>
    send(getConanToken, 'v2/users/authenticate', { as: basic('token', 'wrong') }),
  );
});
