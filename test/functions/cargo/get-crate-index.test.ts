import { getCrateIndex } from '../../../functions/cargo/contracts.ts';
import { deletePackageVersion } from '../../../functions/packages/contracts.ts';
import { errorsOf, linesOf, useCargoRegistry } from '../../harness/cargo.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const { setting, send, published, index, urlOf } = useCargoRegistry(service);

const versionsOf = (text: string): string[] => linesOf(text).map(({ vers }) => vers);

describe('GET /cargo/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 with a line for each version, and 304 while nothing changes', async () => {
    const name = await published();
    await published({ name, version: '1.1.0' });
    const answer = await index(name);
    expect(versionsOf(answer.text)).toEqual(['1.0.0', '1.1.0']);
    const headers = { 'If-None-Match': String(answer.headers.etag) };
    const again = await index(name, { headers });
    expect([again.status, again.text]).toEqual([304, '']);
    await published({ name, version: '1.2.0' });
    expect((await index(name, { headers })).status).toBe(200);
    return answer;
  });

  it('has a path for names of each length', async () => {
    for (const [name, path] of [
      ['a', '1/a'],
      ['Ab', '2/ab'],
      ['abc', '3/a/abc'],
      ['abcd', 'ab/cd/abcd'],
    ] as const) {
      await published({ name });
      expect(linesOf((await send(getCrateIndex, path)).text)).toMatchObject([{ name }]);
    }
  });

  itAnswers('404 PACKAGE_NOT_FOUND for other spellings, and for what is the path of no crate', async () => {
    const word = uniqueName().replaceAll('-', '');
    await published({ name: `my-${word}` });
    expect((await index(`my-${word}`)).status).toBe(200);
    const paths = [
      `my/_${word[0]}/my_${word}`,
      `My/-${word[0]}/My-${word}`,
      `my/-${word[0]}/MY-${word}`,
      `aa/bb/my-${word}`,
      `my-${word}`,
      `my%2f-${word[0]}/my-${word}`,
      'me',
      '..%2fconfig.json',
    ];
    return Promise.all(paths.map((path) => send(getCrateIndex, path)));
  });

  itAnswers('404 PACKAGE_NOT_FOUND for owners, with the reason', async () => {
    const answer = await send(getCrateIndex, 'api/v1/crates/serde/owners');
    expect(errorsOf(answer)).toEqual([expect.stringMatching(/^Crates have no owners here/)]);
    return answer;
  });

  it('leaves deleted versions out', async () => {
    const name = await published();
    await published({ name, version: '1.1.0' });
    const { workspace, repository, admin } = setting;
    const params = { workspace: workspace.id, repository: repository.id, package: name };
    const remove = async (version: string) =>
      service.client.succeed(deletePackageVersion, { params: { ...params, version }, as: admin.bearer });
    await remove('1.0.0');
    expect(versionsOf((await index(name)).text)).toEqual(['1.1.0']);
    await remove('1.1.0');
    expect((await index(name)).status).toBe(404);
  });

  it('names no registry where a dependency is in a repository that the address combines', async () => {
    const { workspace, repository: first } = setting;
    const second = await service.world.repository(workspace, undefined, 'cargo');
    const virtual = await createVirtual(service, workspace, [first, second], { packageType: 'cargo' });
    const elsewhere = await service.world.repository(workspace, undefined, 'cargo');
    const registries = [
      `sparse+${urlOf('', second)}`,
      `sparse+${service.runner.url}/cargo/${workspace.id}/${second.id}/`,
      `sparse+${urlOf('', virtual)}`,
      `sparse+${urlOf('', elsewhere)}`,
      `sparse+https://other.example.com/cargo/${workspace.name}/${second.name}/`,
      'https://github.com/rust-lang/crates.io-index',
      null,
    ];
    const deps = registries.map((registry, number) => ({ name: `serde-${number}`, version_req: '^1', registry }));
    // Cargo.toml names the registry that the crate is published to, too.
    const tables = deps.map(
      ({ name, registry }) =>
        `[dependencies.${name}]\nversion = "1"\nregistry-index = "${registry ?? `sparse+${urlOf('')}`}"\n`,
    );
    const name = await published({ tables: tables.join('') }, { deps });
    const registriesAt = async (repository: typeof first) => {
      const { text } = await index(name, { repository });
      return linesOf(text).flatMap(({ deps: shown }) =>
        (shown as { registry?: string }[]).map(({ registry }) => registry ?? null),
      );
    };
    expect(await registriesAt(virtual)).toEqual([null, null, null, ...registries.slice(3)]);
    expect(await registriesAt(first)).toEqual(registries);
  });
});
