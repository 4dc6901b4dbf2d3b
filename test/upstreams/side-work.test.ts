import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { packumentOf } from '../harness/npm.ts';
import { useRemoteClient } from '../harness/remote-repositories.ts';
import { serving } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';

const { service, upstream, remote, get } = useRemoteClient();

/** One packument is kept in the table, the other one in the store. */
const readmes = { small: 'short', large: Array.from({ length: 20_000 }, (_, line) => (line ** 3).toString(36)).join() };

const serve = (size: keyof typeof readmes): void => {
  const packument = { ...packumentOf(upstream.url, 'left-pad', { '1.0.0': {} }), readme: readmes[size] };
  upstream.answer = serving(JSON.stringify(packument));
};

const ask = async (repository: Named) => {
  const { status, headers, text } = await get(getNpmDocument, 'npm', repository, 'left-pad');
  return { status, cache: headers['x-stockroom-cache'], names: (JSON.parse(text) as { name: string }).name };
};

describe.each(['small', 'large'] as const)('A %s document that is kept while it is rendered', (size) => {
  beforeEach(() => serve(size));

  it('is answered once it is kept: no call is under way then', async () => {
    const repository = await remote({ packageType: 'npm' });
    service.proxy.forget();
    service.proxy.answerMilliseconds = 100;
    expect(await ask(repository)).toEqual({ status: 200, cache: 'miss', names: 'left-pad' });
    const calls = service.proxy.callsOf(getNpmDocument.id);
    expect(calls.at(-1)?.operation).toBe('TransactWriteItems');
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
    service.proxy.heal();
    expect(await ask(repository)).toEqual({ status: 200, cache: 'hit', names: 'left-pad' });
  });

  it('is answered although it cannot be kept, and the next request asks again', async () => {
    const repository = await remote({ packageType: 'npm' });
    const { id: functionId } = getNpmDocument;
    service.proxy.inject({ fault: 'server-error', operation: 'TransactWriteItems', functionId });
    expect(await ask(repository)).toEqual({ status: 200, cache: 'miss', names: 'left-pad' });
    service.proxy.heal();
    expect(service.logs.some((line) => line.includes('best effort failed'))).toBe(true);
    expect(await ask(repository)).toEqual({ status: 200, cache: 'miss', names: 'left-pad' });
    expect(await ask(repository)).toEqual({ status: 200, cache: 'hit', names: 'left-pad' });
    expect(upstream.requests).toHaveLength(2);
  });
});
