import { getTrust } from '../../../functions/trusts/contracts.ts';
import { buildFixture, type Fixture } from '../../harness/fixture.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { trustOf } from '../../harness/trusts.ts';

const service = useService();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(service);
});

const get = (trust: string) =>
  service.client.attempt(getTrust, {
    params: { workspace: fixture.workspace.name, trust },
    as: fixture.workspaceAdmin.bearer,
  });

describe('One trust', () => {
  it('is found by its ID and by its name', async () => {
    const trust = await trustOf(fixture);
    expect((await get(trust.id)).result).toEqual(trust);
    expect((await get(trust.name)).result).toEqual(trust);
  });

  itAnswers('404 TRUST_NOT_FOUND when it is unknown', () => get('unknown'));

  itAnswers('404 TRUST_NOT_FOUND when it is one of another workspace', async () => {
    const other = await buildFixture(service);
    return get((await trustOf(other)).id);
  });
});
