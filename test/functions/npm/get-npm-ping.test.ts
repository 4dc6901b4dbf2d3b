import { getNpmPing } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const registry = useNpmRegistry(service);

describe('GET /npm/{workspace}/{repository}/-/ping', () => {
  itAnswers('200 with an empty object, with and without the query that npm sends', async () => {
    const answers = [await registry.send(getNpmPing, '-/ping'), await registry.send(getNpmPing, '-/ping?write=true')];
    for (const { result } of answers) expect(result).toEqual({});
    return answers;
  });
});
