import { getConsoleScript } from '../../../functions/console/contracts.ts';
import { scriptIn } from '../../facts/console.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const nameInPage = async (): Promise<string> => scriptIn(service.client);

const get = async (script: string) => service.client.attempt(getConsoleScript, { params: { script } });

describe('GET /console/{script}', () => {
  itAnswers('200 to anybody under the name that the page has, for browsers to keep', async () => {
    const answer = await get(await nameInPage());
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    return answer;
  });

  // A browser that keeps a script under the name of another release would run that for a year.
  itAnswers('404 FILE_NOT_FOUND under any other name', async () => [
    await get('console-0123456789abcdef.js'),
    await get((await nameInPage()).toUpperCase()),
  ]);
});
