import {
  createRemoteRepository,
  getRepository,
  listRepositories,
  updateRepository,
} from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';

const creation = (fields: object) => ({
  name: uniqueName('remote'),
  packageType: 'npm',
  remoteRepositoryUrl: 'https://one.example/npm/',
  isRemoteCacheEnabled: true,
  ...fields,
});

const environment: Record<string, string> = { ECHO_UPSTREAM_PASSWORD: 'true' };
const service = useService({ environment });
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const create = async (fields: object) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id };
  return service.client.attempt(createRemoteRepository, { params, body: creation(fields), as: bearer });
};

describe('An operator who lets creations echo the upstream password', () => {
  itAnswers('201 with the password exactly as it was sent', async () => {
    const passwords = [newPassword(), '', ' ', '"\\/\u2028é', 'str', '😀'.repeat(512)];
    const send = async (password: string) => create({ remoteRepositoryPassword: password });
    const answers = await Promise.all(passwords.map(send));
    expect(answers.map(({ result }) => result?.remoteRepositoryPassword)).toEqual(passwords);
    expect(answers.map(({ result }) => result?.hasRemoteRepositoryPassword)).toEqual(
      passwords.map((one) => one !== ''),
    );
    return answers;
  });

  itAnswers('201 without the field when no password was sent', async () => {
    const answer = await create({});
    expect(answer.result).not.toHaveProperty('remoteRepositoryPassword');
    return answer;
  });

  itAnswers('200 without the password from every other endpoint that shows the repository', async () => {
    const { bearer } = await service.world.systemAdmin();
    const { id } = await createRemote(service, workspace, { remoteRepositoryPassword: newPassword() });
    const params = { workspace: workspace.id, repository: id };
    const body = { remoteRepositoryPassword: newPassword() };
    const answers = [
      await service.client.call(getRepository, { params, as: bearer }),
      await service.client.call(listRepositories, { params: { workspace: workspace.id }, as: bearer }),
      await service.client.call(updateRepository, { params, body, as: bearer }),
    ];
    for (const { text } of answers) expect(text).not.toContain('"remoteRepositoryPassword"');
    return answers;
  });

  itAnswers('409 REPOSITORY_NAME_TAKEN without the password', async () => {
    const { name } = await service.world.repository(workspace);
    return create({ name, remoteRepositoryPassword: newPassword() });
  });

  itAnswers('400 REQUEST_INVALID without the password', async () =>
    create({ packageType: 'none', remoteRepositoryPassword: newPassword() }),
  );
});

describe.each([undefined, '', 'false', '1', 'TRUE', 'yes'])('ECHO_UPSTREAM_PASSWORD as %j', (value) => {
  beforeAll(async () => {
    delete environment.ECHO_UPSTREAM_PASSWORD;
    if (value !== undefined) environment.ECHO_UPSTREAM_PASSWORD = value;
    await service.runner.reload();
  });

  itAnswers('201 without the password', async () => {
    const answer = await create({ remoteRepositoryPassword: newPassword() });
    expect(answer.result).toMatchObject({ hasRemoteRepositoryPassword: true });
    expect(answer.result).not.toHaveProperty('remoteRepositoryPassword');
    return answer;
  });
});
