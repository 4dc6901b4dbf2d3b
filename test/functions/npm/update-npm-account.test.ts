import {
  deleteDistTag,
  deleteNpmPackage,
  getDistTags,
  getNpmDocument,
  publishNpmPackage,
  updateNpmAccount,
} from '../../../functions/npm/contracts.ts';
import type { Contract } from '../../../shared/http/contract.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { NpmClient } from '../../harness/npm-client.ts';
import { sampleOf, today } from '../../harness/sampling.ts';
import { useService } from '../../harness/service.ts';

jest.setTimeout(60_000);

const service = useService();
const npm = useNpmRepository(service);

/** What npm 11 sends, by command. */
const commands: readonly (readonly [command: string, contract: Contract, path: string, instead: string])[] = [
  ['npm token list', getNpmDocument, '-/npm/v1/tokens', '/1/users/personal-access-tokens'],
  ['npm token create', updateNpmAccount, '-/npm/v1/tokens', '/1/users/personal-access-tokens'],
  ['npm token revoke', deleteNpmPackage, '-/npm/v1/tokens/token/abc123', '/1/users/personal-access-tokens'],
  ['npm profile get', getNpmDocument, '-/npm/v1/user', '/1/users/me'],
  ['npm profile set', updateNpmAccount, '-/npm/v1/user', '/1/users/me'],
  ['npm stars', getNpmDocument, '-/_view/starredByUser?key=%22bob%22', 'npm search'],
  ['npm org ls', getNpmDocument, '-/org/acme/user', '/members'],
  ['npm org set', publishNpmPackage, '-/org/acme/user', '/members'],
  ['npm org rm', deleteNpmPackage, '-/org/acme/user', '/members'],
  ['npm team ls', getNpmDocument, '-/org/acme/team?format=cli', '/members'],
  ['npm team ls acme:web', getNpmDocument, '-/team/acme/web/user?format=cli', '/members'],
  ['npm team create', publishNpmPackage, '-/org/acme/team', '/members'],
  ['npm team destroy', deleteNpmPackage, '-/team/acme/web', '/members'],
  ['npm access list packages', getNpmDocument, '-/user/bob/package?format=cli', '/members'],
  ['npm access list packages acme:web', getNpmDocument, '-/team/acme/web/package?format=cli', '/members'],
  ['npm access list collaborators', getDistTags, '-/package/@acme%2ftool/collaborators?format=cli', '/members'],
  ['npm access get status', getDistTags, '-/package/tool/visibility', '/members'],
  ['npm access grant', publishNpmPackage, '-/team/acme/web/package', '/members'],
  ['npm access set status', updateNpmAccount, '-/package/@acme%2ftool/access', '/members'],
  ['npm access set mfa', updateNpmAccount, '-/package/tool/access', '/members'],
  ['npm access revoke', deleteNpmPackage, '-/team/acme/web/package', '/members'],
  ['npm trust github', updateNpmAccount, '-/package/tool/trust', '/trusts'],
  ['npm trust list', getDistTags, '-/package/@acme%2ftool/trust', '/trusts'],
  ['npm trust revoke', deleteDistTag, '-/package/tool/trust/abc-123', '/trusts'],
  ['npm stage list', getNpmDocument, '-/stage?page=0&perPage=100', 'npm publish'],
  ['npm stage publish', updateNpmAccount, '-/stage/package/tool', 'npm publish'],
  ['npm stage approve', updateNpmAccount, '-/stage/abc-123/approve', 'npm publish'],
  ['npm owner add', getNpmDocument, '-/user/org.couchdb.user:bob', '/members'],
  ['npm hook ls', getNpmDocument, '-/npm/v1/hooks', 'events'],
  ['npm hook add', updateNpmAccount, '-/npm/v1/hooks/hook', 'events'],
];

describe.each(commands)('%s', (_command, contract, path, instead) => {
  itAnswers('404 ROUTE_NOT_FOUND with a sentence, which npm prints, that says what to use instead', async () => {
    const body = ['PUT', 'POST'].includes(contract.method) ? { name: 'web' } : undefined;
    const answer = await npm.send(contract, path, { body });
    expect(errorOf(answer)).toBe(answer.problem?.detail);
    expect(errorOf(answer)).toContain(instead);
    return answer;
  });
});

itAnswers('404 ROUTE_NOT_FOUND for npm star, unstar and owner rm, which change a packument', async () => {
  const name = await npm.publish();
  const star = await npm.send(publishNpmPackage, name, { body: { _id: name, _rev: '1', users: { bob: true } } });
  const unstar = await npm.send(publishNpmPackage, name, { body: { _id: name, _rev: '1', users: {} } });
  const owner = await npm.send(publishNpmPackage, `${name}/-rev/1`, {
    body: { _id: name, _rev: '1', maintainers: [] },
  });
  expect([star, unstar].map(errorOf)).toEqual([star, unstar].map(() => expect.stringContaining('npm search')));
  expect(errorOf(owner)).toContain('/members');
  return [star, unstar, owner];
});

itAnswers('404 ROUTE_NOT_FOUND for another POST below the hyphen', async () =>
  npm.send(updateNpmAccount, '-/npm/v1/keys', { body: {} }),
);

itAnswers('404 FILE_NOT_FOUND for other paths below the hyphen', async () => [
  await npm.send(getNpmDocument, '-/npm/v1/keys'),
  await npm.send(getNpmDocument, '-/npm/v1/userx'),
  await npm.send(getNpmDocument, '-/team'),
]);

describe('npm itself prints the sentence for', () => {
  const client = new NpmClient();
  let url: string;
  let name: string;
  let project: string;
  beforeAll(async () => {
    url = npm.urlOf('');
    name = await npm.publish();
    project = client.project({ name, version: '1.0.0' });
  });
  afterAll(() => client.close());

  const run = async (command: string, answers: readonly string[] = []) =>
    client.run(project, { url, token: npm.setting.admin.token }, command.split(' '), {}, answers);

  const asked: readonly (readonly [command: string, instead: string, ...answers: string[]])[] = [
    ['token create --name=ci', '/1/users/personal-access-tokens', 'a password'],
    ['token list', '/1/users/personal-access-tokens'],
    ['profile set fullname Robin', '/1/users/me'],
    ['access set mfa=none', '/members'],
    ['access grant read-only acme:web', '/members'],
    ['star', 'npm search'],
    ['stars', 'npm search'],
    ['stage list', 'npm publish'],
    ['org set acme robin', '/members'],
  ];
  const some = process.env.ALL_COMMANDS ? asked : sampleOf(asked, today, 3);

  it.each(some)('npm %s', async (command, instead, ...answers) => {
    const needsName = /^(?:access|star$)/.test(command);
    const { isFailed, stderr } = await run(needsName ? `${command} ${name}` : command, answers);
    expect({ isFailed, stderr }).toEqual({ isFailed: true, stderr: expect.stringContaining(instead) });
  });
});
