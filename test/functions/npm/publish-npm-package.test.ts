import { publishNpmPackage } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { publishBody } from '../../harness/npm-packages.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const registry = useNpmRegistry(service);

describe('PUT /npm/{workspace}/{repository}/{path+}', () => {
  itAnswers('201 to the local repository and, through its upload target, to the virtual one', async () => {
    const [one, other] = [uniqueName('package'), uniqueName('package')];
    const answers = [
      await registry.publish(one),
      await registry.publish(other, '1.0.0', { repository: registry.virtual }),
    ];
    for (const name of [one, other]) expect((await registry.get(name)).status).toBe(200);
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for a version that is there, with a sentence that npm prints', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    const answer = await registry.publish(name);
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.stringContaining(`${name} 1.0.0 already exists`) });
    return answer;
  });

  itAnswers(
    '400 PACKAGE_INVALID for a tarball that is not what the manifest promises, and nothing is visible',
    async () => {
      const name = uniqueName('package');
      const body = publishBody(name);
      const dist = {
        ...body.versions['1.0.0']?.dist,
        integrity: publishBody('another').versions['1.0.0']?.dist.integrity,
      };
      const json = { ...body, versions: { '1.0.0': { ...body.versions['1.0.0'], dist } } };
      const answer = await registry.publish(name, '1.0.0', { json });
      expect((await registry.get(name)).code).toBe('PACKAGE_NOT_FOUND');
      return answer;
    },
  );

  itAnswers('400 REPOSITORY_READ_ONLY for a remote repository', async () => {
    const repository = await createRemote(service, registry.workspace);
    return registry.publish(uniqueName('package'), '1.0.0', { repository });
  });

  itAnswers('400 BODY_MALFORMED for what is no JSON', async () =>
    service.client.sendTo(publishNpmPackage, {
      path: `/npm/${registry.workspace.name}/${registry.local.name}/broken`,
      headers: [
        ['Authorization', (await service.world.systemAdmin()).bearer],
        ['Content-Type', 'application/json'],
      ],
      body: '{',
    }),
  );

  itAnswers('413 BODY_TOO_LARGE with the limit and the way for larger files', async () => {
    const name = uniqueName('package');
    const json = { ...publishBody(name), padding: 'x'.repeat(4_500_000) };
    const answer = await registry.publish(name, '1.0.0', { json });
    expect(answer.text).toMatch(/4500000 bytes.*packages\/uploads/);
    return answer;
  });

  it('deprecates a version, and takes that back', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    for (const deprecated of ['use another', '']) {
      const { text } = await registry.get(`${name}?write=true`);
      const packument = JSON.parse(text) as { versions: Record<string, object> };
      const json = { ...packument, versions: { '1.0.0': { ...packument.versions['1.0.0'], deprecated } } };
      expect((await registry.publish(name, '1.0.0', { json })).status).toBe(201);
      const shown = JSON.parse((await registry.get(`${name}/1.0.0`)).text) as { deprecated?: string };
      expect(shown.deprecated ?? '').toBe(deprecated);
    }
  });
});
