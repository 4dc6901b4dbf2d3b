import { getPackageAdvisories } from '../../../functions/advisories/contracts.ts';
import { advisory, storeAdvisories } from '../../gates/stored-advisories.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();

const get = async (packageType: string, name: string) =>
  service.client.attempt(getPackageAdvisories, {
    params: { packageType, package: name },
    as: (await service.world.user()).bearer,
  });

describe('GET /1/advisories/{packageType}/{package}', () => {
  itAnswers('400 REQUEST_INVALID for a type without advisories', async () => get('helm', 'chart'));

  itAnswers('200 to every user, with an advisory in several pieces whole', async () => {
    const name = uniqueName('package');
    const versions = Array.from({ length: 5_000 }, (_, at) => `1.${at}.0`);
    const range = [['introduced', '3.0.0'] as const, ['fixed', '3.1.0'] as const];
    await storeAdvisories('npm', name, [advisory({ versions, ranges: [range] })]);
    expect((await get('npm', name.toUpperCase())).result?.advisories).toEqual([]);
    const answer = await get('npm', name);
    const [found, ...others] = answer.result?.advisories ?? [];
    expect(others).toEqual([]);
    expect(found?.versions).toEqual(versions);
    expect(found?.ranges).toEqual([
      [
        { event: 'introduced', version: '3.0.0' },
        { event: 'fixed', version: '3.1.0' },
      ],
    ]);
    return answer;
  });

  itAnswers('200 without advisories on what can be no name of the type', async () => {
    const answer = await get('npm', '..%2Fetc');
    expect(answer.result?.advisories).toEqual([]);
    return answer;
  });
});
