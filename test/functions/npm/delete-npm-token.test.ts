import { deleteNpmToken, getNpmDocument, getNpmUser } from '../../../functions/npm/contracts.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import { bearerHeader } from '../../harness/credentials.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, useNpmRepository } from '../../harness/npm.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const npm = useNpmRepository(service);

const logout = (token: string, as: string, repository = npm.setting.repository) =>
  npm.send(deleteNpmToken, `-/user/token/${encodeURIComponent(token)}`, { as, repository });

describe('DELETE /npm/{workspace}/{repository}/-/user/token/{token}', () => {
  itAnswers('200 for the token of the request, which is refused from then on', async () => {
    const { token } = await service.world.token(npm.setting.admin);
    const as = bearerHeader(token);
    expect((await npm.send(getNpmUser, '-/whoami', { as })).status).toBe(200);
    const answer = await logout(token, as);
    expect(answer.result).toEqual({ ok: true });
    expect((await npm.send(getNpmUser, '-/whoami', { as })).status).toBe(401);
    return answer;
  });

  itAnswers('200 for another token of one’s own, which the token of the request survives', async () => {
    const { admin } = npm.setting;
    const { token } = await service.world.token(admin);
    const answer = await logout(token, admin.bearer);
    expect((await npm.send(getNpmUser, '-/whoami')).status).toBe(200);
    return answer;
  });

  itAnswers('404 TOKEN_NOT_FOUND for the token of somebody else, one that is unknown, and what is none', async () => {
    const other = await service.world.member(npm.setting.workspace);
    service.proxy.forget();
    const answers = await Promise.all(
      [other.token, newToken(), other.tokenId, 'x'].map((token) => logout(token, npm.setting.admin.bearer)),
    );
    for (const answer of answers) expect(errorOf(answer)).toBe(answer.problem?.detail);
    expect(service.proxy.writes).toEqual([]);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND below a repository of another package type', async () => {
    const { workspace, admin } = npm.setting;
    const repository = await service.world.repository(workspace, undefined, 'universal');
    return logout(admin.token, admin.bearer, repository);
  });

  it('logs the route and not the token in it, whatever becomes of the request', async () => {
    const { admin } = npm.setting;
    const tokens = [(await service.world.token(admin)).token, newToken()];
    const from = service.logs.length;
    for (const token of tokens) await logout(token, admin.bearer);
    const lines = service.logs.slice(from).join('\n');
    expect(lines).toContain(`"path":"${deleteNpmToken.path}"`);
    for (const token of tokens) expect(lines).not.toContain(token);
  });

  it('logs no token that is sent by another method, either', async () => {
    const from = service.logs.length;
    await npm.send(getNpmDocument, `-/user/token/${newToken()}`);
    expect(service.logs.slice(from).join('\n')).toContain('/-/user/token/{token}"');
  });
});
