import { deleteNpmPackage, getDistTags, getNpmDocument, publishNpmPackage } from '../../../functions/npm/contracts.ts';
import type { Contract } from '../../../shared/http/contract.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm-repository.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const npm = useNpmRepository(service);

/** What npm 11 sends, by command. */
const commands: readonly (readonly [command: string, contract: Contract, path: string, instead: string])[] = [
  ['npm token list', getNpmDocument, '-/npm/v1/tokens', '/1/users/personal-access-tokens'],
  ['npm token revoke', deleteNpmPackage, '-/npm/v1/tokens/token/abc123', '/1/users/personal-access-tokens'],
  ['npm profile get', getNpmDocument, '-/npm/v1/user', '/1/users/me'],
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
  ['npm owner add', getNpmDocument, '-/user/org.couchdb.user:bob', '/members'],
  ['npm hook ls', getNpmDocument, '-/npm/v1/hooks', 'events'],
];

describe.each(commands)('%s', (_command, contract, path, instead) => {
  itAnswers('404 ROUTE_NOT_FOUND with a sentence, which npm prints, that says what to use instead', async () => {
    const body = contract.method === 'PUT' ? { name: 'web' } : undefined;
    const answer = await npm.send(contract, path, { body });
    expect(errorOf(answer)).toBe(answer.problem?.detail);
    expect(errorOf(answer)).toContain(instead);
    return answer;
  });
});

itAnswers('404 FILE_NOT_FOUND for other paths below the hyphen', async () => [
  await npm.send(getNpmDocument, '-/npm/v1/keys'),
  await npm.send(getNpmDocument, '-/npm/v1/userx'),
  await npm.send(getNpmDocument, '-/team'),
]);
