import { getConanUser } from '../../../functions/conan/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { useConan } from '../../types/conan.ts';

const service = useService();
const { setting, send } = useConan(service);

describe('GET /conan/{workspace}/{repository}/v2/users/check_credentials', () => {
  itAnswers('200 with the name of the user', async () => {
    const answer = await send(getConanUser, 'v2/users/check_credentials');
    expect(answer.text).toBe(setting.admin.username);
    return answer;
  });
  itAnswers('401 UNAUTHENTICATED for what is no token', async () =>
    send(getConanUser, 'v2/users/check_credentials', { as: 'Bearer unset' }),
  );
});
