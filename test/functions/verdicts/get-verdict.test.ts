import { deleteVerdict, getVerdict, updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

const asked = (name: string, workspace = fixture.workspace.id, packageType = 'npm') => ({
  params: { workspace, packageType, package: name },
  as: fixture.systemAdmin.bearer,
});

const existing = async (): Promise<string> => {
  const name = `@acme/${uniqueName('package')}`;
  const body = { verdict: 'block' as const, versions: ['*'], reason: 'Hijacked' };
  await service.client.succeed(updateVerdict, { ...asked(name), body });
  return name;
};

describe('A verdict', () => {
  it('is found by a name with a slash', async () => {
    const name = await existing();
    expect((await service.client.succeed(getVerdict, asked(name))).package).toBe(name);
  });

  itAnswers('404 VERDICT_NOT_FOUND when there is none on the name', () =>
    service.client.attempt(getVerdict, asked('none')),
  );
  itAnswers('404 VERDICT_NOT_FOUND when it is of another workspace', async () =>
    service.client.attempt(getVerdict, asked(await existing(), (await service.world.workspace()).id)),
  );
  itAnswers('404 VERDICT_NOT_FOUND when it is on another type', async () =>
    service.client.attempt(getVerdict, asked(uniqueName('package'), undefined, 'pypi')),
  );
  itAnswers('404 VERDICT_NOT_FOUND when it was deleted', async () => {
    const name = await existing();
    await service.client.succeed(deleteVerdict, asked(name));
    return [
      await service.client.attempt(getVerdict, asked(name)),
      await service.client.attempt(deleteVerdict, asked(name)),
    ];
  });
});
