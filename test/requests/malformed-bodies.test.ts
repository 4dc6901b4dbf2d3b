import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import { jsonBodyOf } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import type { Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { sampleOf, shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';

const service = useService();
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

type Header = readonly [string, string];
const json: Header = ['Content-Type', 'application/json'];
const credential = (): Header => ['Authorization', fixture.systemAdmin.bearer];

/** A text of so many bytes whose JSON is well-formed. */
const padded = (body: object, bytes: number): string => {
  const text = JSON.stringify(body);
  return text.slice(0, -1) + ' '.repeat(bytes - Buffer.byteLength(text)) + text.slice(-1);
};

const nested = (depth: number): string => `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** What is sent in place of a body that the contract allows, and how it is refused. */
const malformed: Readonly<Record<string, (valid: string) => string | Uint8Array>> = {
  'no body': () => '',
  spaces: () => '   ',
  'broken JSON': (valid) => valid.slice(0, -1),
  'two objects': (valid) => valid + valid,
  'an array': (valid) => `[${valid}]`,
  null: () => 'null',
  'a number': () => '1',
  'a string': (valid) => JSON.stringify(valid),
  'deep nesting': () => nested(16),
  'very deep nesting': () => nested(20_000),
  'a key twice': (valid) => valid.replace('{', '{"twice":1,"twice":1,'),
  'the key __proto__': (valid) => valid.replace('{', '{"__proto__":{},'),
  'the key constructor': (valid) => valid.replace('{', '{"constructor":1,'),
  'half of a surrogate pair': (valid) => valid.replace('{', '{"half":"\\ud800",'),
  'bad UTF-8': (valid) =>
    Buffer.concat([Buffer.from(valid.slice(0, -1)), Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]),
  'UTF-16': (valid) => Buffer.from(valid, 'utf16le'),
  'a byte order mark': (valid) => `\ufeff${valid}`,
};

/** A POST of which no field is required has nothing to send. */
const needsNoBody = (contract: Endpoint): boolean =>
  contract.method === 'POST' && jsonBodyOf(contract)?.required.length === 0;

const withBodies = endpoints.filter(jsonBodyOf).map((contract, turn) => [contract.id, contract, turn] as const);

describe.each(shareOf(withBodies, 3))('%s', (_, contract, turn) => {
  const isAlsoForm = contract.request?.kind === 'json' && contract.request.isAlsoForm === true;
  /** So many of what can be wrong with a body, in turn; all for the one whose body is read in a way of its own. */
  const someOf = <T>(kinds: readonly T[], count: number): readonly T[] =>
    isAlsoForm ? kinds : sampleOf(kinds, turn, count);

  // What was refused changed nothing, so the next body is sent with the same request.
  let unused: Request | undefined;
  const unusedRequest = async (): Promise<Request> => {
    unused ??= await validRequest(contract, fixture);
    return unused;
  };
  const send = async (change: (valid: string) => string | Uint8Array, ...headers: Header[]): Promise<Answer> => {
    const { params, body, headers: own = {} } = await unusedRequest();
    const lines = [credential(), ...Object.entries(own), ...(headers.length > 0 ? headers : [json])];
    service.proxy.forget();
    const answer = await service.client.sendTo(
      contract,
      { headers: lines, body: change(JSON.stringify(body)) },
      params,
    );
    if (answer.status < 300) unused = undefined;
    return answer;
  };
  const expectNothingWritten = (): void => {
    expect(service.proxy.callsOf(contract.id).filter(({ isWrite }) => isWrite)).toEqual([]);
  };

  it('answers 400 BODY_MALFORMED to what is not one well-formed JSON object, and writes nothing', async () => {
    const refused = Object.entries(malformed).filter(([name]) => name !== 'no body' || !needsNoBody(contract));
    for (const [name, change] of someOf(refused, 4)) {
      const { status, code } = await send(change);
      expect([name, status, code]).toEqual([name, 400, 'BODY_MALFORMED']);
      expectNothingWritten();
    }
  });

  if (needsNoBody(contract))
    it('takes no body as an empty object, with and without a media type', async () => {
      const answerTo = async (body: string, header: Header): Promise<Answer> => {
        const { params, headers = {} } = await validRequest(contract, fixture);
        const lines = [credential(), ...Object.entries(headers), header];
        return service.client.sendTo(contract, { headers: lines, body }, params);
      };
      const { status, code } = await answerTo('{}', json);
      expect(await answerTo('', json)).toMatchObject({ status, code });
      expect(await answerTo('', ['X-No-Content-Type', 'at all'])).toMatchObject({ status, code });
    });

  itAnswers('413 BODY_TOO_LARGE beyond 64 KiB, with nothing written', async () => {
    const tooLarge = [
      (valid: string) => padded(JSON.parse(valid) as object, 65_537),
      () => Buffer.alloc(65_537),
      () => Buffer.alloc(1_000_000, 'x'),
    ];
    const answers: Answer[] = [];
    for (const change of someOf(tooLarge, 1)) answers.push(await send(change));
    expectNothingWritten();
    return answers;
  });

  it('takes 64 KiB to the byte', async () => {
    const { status } = await send((valid) => padded(JSON.parse(valid) as object, 65_536));
    expect([200, 201]).toContain(status);
  });

  itAnswers(
    '415 MEDIA_TYPE_UNSUPPORTED for a body that does not say it is JSON, or is compressed, with nothing written',
    async () => {
      const types = [
        'text/plain',
        ...(isAlsoForm ? [] : ['application/x-www-form-urlencoded']),
        'application/jsonp',
        'application/json-patch+json',
        '',
      ];
      const headers: Header[][] = [
        ...types.map((type): Header[] => [['Content-Type', type]]),
        [['X-No-Content-Type', 'at all']],
      ];
      const answers = [await send((valid) => valid, json, ['Content-Encoding', 'gzip'])];
      expect(answers[0]?.problem?.detail).toBe('Send the body uncompressed, without Content-Encoding.');
      for (const lines of someOf(headers, 2)) answers.push(await send((valid) => valid, ...lines));
      expectNothingWritten();
      return answers;
    },
  );

  it('takes JSON in any case of the media type and with a charset', async () => {
    const { status } = await send((valid) => valid, ['content-type', 'Application/JSON; charset=utf-8']);
    expect([200, 201]).toContain(status);
  });

  itAnswers(
    '400 REQUEST_INVALID for an unknown field and an unknown query parameter, with nothing written',
    async () => {
      const unknown = await send((valid) => valid.replace(/^\{/, '{"unknownField":1,').replace(',}', '}'));
      expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('unknownField')]);
      const { params, body, headers = {} } = await unusedRequest();
      const query = await service.client.attempt(contract, {
        params,
        body,
        query: { force: 'true' },
        headers,
        as: fixture.systemAdmin.bearer,
      });
      expect([query.status, query.text]).toEqual([400, expect.stringContaining('force')]);
      expectNothingWritten();
      return [unknown, query];
    },
  );

  itAnswers('400 REQUEST_INVALID with the first hundred of 8,187 unknown fields, in a small answer', async () => {
    const fields = Array.from(Array(8_187).keys(), (index) => `"${index.toString(36)}":1`).join(',');
    const answer = await send(() => `{${fields}}`.slice(0, 65_536));
    const { violations = [], errors = [], detail = '' } = answer.problem ?? {};
    expect(violations).toHaveLength(100);
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toMatch(/^And 8,\d{3} more\.$/);
    expect(detail).toMatch(/ And 8,\d{3} more\.$/);
    expect(detail.split('The fields are').length).toBeLessThanOrEqual(2);
    expect(answer.text.length).toBeLessThan(50_000);
    expectNothingWritten();
    return answer;
  });
});
