import { getCargoConfig } from '../../../functions/cargo/contracts.ts';
import { useCargoRegistry } from '../../harness/cargo.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const { setting, send, urlOf } = useCargoRegistry(service);

describe('GET /cargo/{workspace}/{repository}/config.json', () => {
  itAnswers('200 with the addresses at the host that was asked, and that each request needs a credential', async () => {
    const virtual = await createVirtual(service, setting.workspace, [setting.repository], { packageType: 'cargo' });
    const answers = [
      await send(getCargoConfig, 'config.json'),
      await send(getCargoConfig, 'config.json', { repository: virtual }),
    ];
    const configOf = (url: string) => ({ dl: `${url}/api/v1/crates`, api: url, 'auth-required': true });
    const urls = [setting.repository, virtual].map((repository) => urlOf('', repository).slice(0, -1));
    expect(answers.map(({ result }) => result)).toEqual(urls.map(configOf));
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () =>
    send(getCargoConfig, 'config.json', { repository: await service.world.repository(setting.workspace) }),
  );
});
