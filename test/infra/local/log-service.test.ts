import { LogService } from '../../../infra/local/log-service.ts';
import { type LogSearch, type SearchPosition, searchLogs } from '../../../shared/log-search.ts';

const logs = new LogService();
let stop = (): void => undefined;
beforeAll(async () => {
  const started = await logs.start();
  stop = started.stop;
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_LOGS: started.url,
  });
});
afterAll(() => stop());

const begun = Date.now();

const search = (groups: readonly string[], served: string): LogSearch => ({
  groups,
  pattern: `{ $.table.served = "${served}" && $.outcome = "OK" }`,
  since: begun,
  until: Date.now() + 1_000,
});

const signal = () => AbortSignal.timeout(5_000);

const found = async (groups: readonly string[], served: string, wanted = 100): Promise<string[][]> => {
  const pages: string[][] = [];
  let at: SearchPosition | undefined = { group: 0 };
  while (at) {
    const { lines, next }: Awaited<ReturnType<typeof searchLogs>> = await searchLogs(
      search(groups, served),
      at,
      wanted,
      signal(),
    );
    pages.push(lines.map(({ message }) => JSON.parse(message).id));
    at = next;
  }
  return pages;
};

const write = (group: string, ...served: string[]): void => {
  for (const [at, each] of served.entries())
    logs.keep(group, JSON.stringify({ id: `${group}${at}`, outcome: 'OK', table: { served: each } }));
};

describe('A search of the log', () => {
  it('finds the lines of several groups, one after the other, and no others', async () => {
    write('a', 'one', 'two', 'one');
    write('b', 'one');
    write('c', 'one');
    logs.keep('a', 'no JSON, but "served":"one"');
    logs.keep('a', JSON.stringify({ id: 'refused', outcome: 'VERSION_HELD', table: { served: 'one' } }));
    expect((await found(['a', 'gone', 'b'], 'one')).flat()).toEqual(['a0', 'a2', 'b0']);
  });

  it('goes on where a page ended, and gives each line once', async () => {
    write('pages', ...Array.from({ length: 7 }, () => 'many'));
    const pages = await found(['pages'], 'many', 3);
    expect(pages.flat()).toEqual(Array.from({ length: 7 }, (_, at) => `pages${at}`));
    expect(Math.max(...pages.map(({ length }) => length))).toBe(3);
  });

  it('finds the lines in which one of two members has the text', async () => {
    const lines = [{ a: 'one' }, { b: 'one' }, { a: 'two', b: 'one' }, { c: 'one' }, { a: 'one', refused: 'yes' }];
    for (const [id, line] of lines.entries()) logs.keep('either', JSON.stringify({ id, refused: 'no', ...line }));
    const pattern = '{ ($.a = "one" || $.b = "one") && $.refused = "no" }';
    const asked = { ...search(['either'], 'one'), pattern };
    const { lines: fitting } = await searchLogs(asked, { group: 0 }, 10, signal());
    expect(fitting.map(({ message }) => JSON.parse(message).id)).toEqual([0, 1, 2]);
  });

  it('ends at the times that are asked for', async () => {
    write('times', 'now');
    const { lines } = await searchLogs(
      { ...search(['times'], 'now'), since: Date.now() + 60_000, until: Date.now() + 120_000 },
      { group: 0 },
      10,
      signal(),
    );
    expect(lines).toEqual([]);
  });

  it('goes on through thousands of lines of which none fits', async () => {
    for (let at = 0; at < 11_000; at += 1) logs.keep('long', `{"served":"other ${at}"}`);
    write('long', 'last');
    expect((await found(['long'], 'last')).flat()).toEqual(['long0']);
  });

  it('keeps the newest lines alone', async () => {
    write('old', 'oldest');
    for (let at = 0; at < 20_000; at += 1) logs.keep('new', 'a line');
    expect((await found(['old'], 'oldest')).flat()).toEqual([]);
  });

  it('knows no pattern but those that functions send', async () => {
    const sent = searchLogs({ ...search(['a'], 'one'), pattern: 'ERROR' }, { group: 0 }, 10, signal());
    await expect(sent).rejects.toThrow();
  });
});
