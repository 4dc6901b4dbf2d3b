import { getCrate } from '../../../functions/cargo/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { crateFileOf, useCargoRegistry } from '../../harness/cargo.ts';
import { fetchChecked } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const { setting, send, published, urlOf } = useCargoRegistry(service);

const pathOf = (name: string, version = '1.0.0'): string => `api/v1/crates/${name}/${version}/download`;

describe('GET /cargo/{workspace}/{repository}/api/v1/crates/{crate}/{version}/download', () => {
  itAnswers('200 with the crate, under every spelling of its name and its version', async () => {
    const word = uniqueName().replaceAll('-', '');
    const crate = { name: `my-${word}`, version: '1.0.0+build' };
    await published(crate);
    const bytes = await crateFileOf(crate);
    const answer = await fetchChecked(getCrate, urlOf(pathOf(crate.name, crate.version)), {
      Authorization: setting.admin.bearer,
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    const names = [`my-${word}`, `my_${word}`, `MY-${word}`];
    const answers = await Promise.all(
      names.flatMap((name) => ['1.0.0', '1.0.0%2Bother'].map((version) => send(getCrate, pathOf(name, version)))),
    );
    for (const { headers } of answers) expect(headers.etag).toBe(`"${sha256(bytes)}"`);
    return answers;
  });

  it('sends a large crate by a redirect that needs no credential', async () => {
    const crate = { name: uniqueName('crate'), version: '1.0.0', code: 'x'.repeat(300_000) };
    await published(crate);
    const { status, headers } = await send(getCrate, pathOf(crate.name));
    expect(status).toBe(302);
    const content = Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
    expect(content.equals(await crateFileOf(crate))).toBe(true);
  });

  it('answers HEAD with the length', async () => {
    const crate = { name: uniqueName('crate'), version: '1.0.0' };
    await published(crate);
    const { status, headers } = await send(getCrate, pathOf(crate.name), { method: 'HEAD' });
    expect([status, headers['content-length']]).toEqual([200, String((await crateFileOf(crate)).length)]);
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there, and for what is the name of nothing', async () => {
    const name = await published();
    const paths = [
      pathOf(name, '1.0.1'),
      pathOf(name, '1.0'),
      pathOf(uniqueName('crate')),
      pathOf('a%2f..%2fb'),
      pathOf('%20'),
      pathOf(name, '1.0.0%00'),
    ];
    return Promise.all(paths.map((path) => send(getCrate, path)));
  });
});
