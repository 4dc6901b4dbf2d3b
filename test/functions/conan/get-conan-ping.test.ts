import { getConanPing } from '../../../functions/conan/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { useConan } from '../../types/conan.ts';

const service = useService();
const { send } = useConan(service);

describe('GET /conan/{workspace}/{repository}/v1/ping', () => {
  itAnswers('200 with the capability that Conan looks for', async () => {
    const answer = await send(getConanPing, 'v1/ping');
    expect(answer.headers['x-conan-server-capabilities']).toBe('revisions');
    return answer;
  });
  itAnswers('401 UNAUTHENTICATED without a credential, so that Conan logs in', async () =>
    send(getConanPing, 'v1/ping', { as: 'Bearer unset' }),
  );
});
