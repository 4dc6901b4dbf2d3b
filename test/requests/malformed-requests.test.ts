import { endpoints } from '../../functions/endpoints.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { listWorkspaces } from '../../functions/workspaces/contracts.ts';
import { type Answer, pathOf } from '../harness/client.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { itRefusesMalformedBytes } from './malformed-bytes.ts';

const service = useService();
let fixture: Fixture;

beforeAll(async () => {
  fixture = await buildFixture(service);
});

type Header = readonly [string, string];
const json: Header = ['Content-Type', 'application/json'];
const credential = (): Header => ['Authorization', fixture.systemAdmin.bearer];

describe('a path or a method that there is not', () => {
  const raw = (method: string, path: string): Promise<Answer> =>
    service.client.raw({ method, path, headers: [credential(), json], body: JSON.stringify({ name: uniqueName() }) });

  itAnswers('404 ROUTE_NOT_FOUND for a method that no path has', async () => {
    const methods = ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'];
    return Promise.all(methods.map((method) => raw(method, '/1/workspaces')));
  });

  itAnswers('404 ROUTE_NOT_FOUND for an unknown path, with and without a credential', async () =>
    Promise.all([
      ...[
        '/',
        '/1',
        '/2/workspaces',
        '/favicon.ico',
        '/1/workspace',
        '/1/Workspaces',
        '//1/workspaces',
        '/1//workspaces',
      ].map((path) => raw('POST', path)),
      service.client.raw({ method: 'GET', path: '/nowhere' }),
    ]),
  );

  itAnswers('404 ROUTE_NOT_FOUND for a name with a slash that is not encoded, which says how it is', async () => {
    const answers = await Promise.all([
      raw('DELETE', '/1/workspaces/acme/repositories/npm/packages/@acme/web/versions/1.0.0'),
      raw('PUT', '/1/workspaces/acme/verdicts/npm/@acme/web'),
    ]);
    for (const { problem } of answers)
      expect(problem?.detail).toMatch(
        /reference at \/docs, and send a slash inside a name as %2F, as in @acme%2Fweb\.$/,
      );
    return answers;
  });

  it('answers HEAD with the headers of a 404', async () => {
    const { status, text } = await service.client.raw({ method: 'HEAD', path: '/1/workspaces' });
    expect({ status, text }).toEqual({ status: 404, text: '' });
  });
});

describe('a trailing slash', () => {
  // Where the last parameter is greedy, the slash is part of it, and the package type decides.
  // The root is nothing but a slash.
  const flat = endpoints.filter(({ path }) => !path.endsWith('+}') && path !== '/');

  it.each(shareOf(flat, 4).map((contract) => [contract.id, contract] as const))(
    'leads to %s, as it does without',
    async (_, contract) => {
      const { params, query = {}, headers = {}, body, bytes } = await validRequest(contract, fixture);
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
      const { status } = await service.client.sendTo(contract, {
        path: `${pathOf(contract, params)}/${parameters.size > 0 ? `?${parameters.toString()}` : ''}`,
        headers: [...Object.entries(headers), credential(), bytes ? ['Content-Type', bytes.mediaType] : json],
        body: bytes?.content ?? JSON.stringify(body),
      });
      expect(status).toBeLessThan(300);
    },
  );
});

describe('a reference that can be none', () => {
  const createIn = (reference: string): Promise<Answer> => {
    const path = createLocalRepository.path.replace('{workspace}', reference);
    const body = JSON.stringify({ name: uniqueName(), packageType: 'npm' });
    return service.client.sendTo(createLocalRepository, { path, headers: [credential(), json], body });
  };

  itAnswers('404 WORKSPACE_NOT_FOUND for encoded slashes, zeros and worse, with nothing written', async () => {
    const { id, name } = fixture.workspace;
    const odd = [
      '%2F',
      `${name}%2F`,
      `%2F${name}`,
      '%00',
      `${name}%00`,
      `${id}%00`,
      '%20',
      '%2e%2e',
      '%23',
      '%E2%80%8B',
      '.',
      '..',
    ];
    const answers: Answer[] = [];
    service.proxy.forget();
    for (const reference of odd) answers.push(await createIn(reference));
    expect(service.proxy.callsOf(createLocalRepository.id).filter(({ isWrite }) => isWrite)).toEqual([]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID for a path that is no percent-encoding', async () =>
    Promise.all(['%', '%zz', '%ff', '%c0%af'].map(createIn)),
  );

  itAnswers('201 for a name with its letters encoded', async () =>
    createIn(fixture.workspace.name.replace('w', '%77')),
  );
});

describe('a query that is out of order', () => {
  itAnswers('400 REQUEST_INVALID for a parameter twice, unknown or of another type', async () => {
    const queries = [
      'limit=1&limit=2',
      'limit=x',
      'limit=',
      'limit=1.5',
      'limit=0',
      'limit=1001',
      'limit=-1',
      'Limit=1',
    ];
    const path = pathOf(listWorkspaces);
    const headers = [credential()];
    return Promise.all(
      [...queries, 'cursor=x', 'a=1', '__proto__=1', '%ff=1', '='].map((query) =>
        service.client.sendTo(listWorkspaces, { path: `${path}?${query}`, headers }),
      ),
    );
  });

  itAnswers('400 REQUEST_INVALID with the first hundred of 2,000 unknown parameters', async () => {
    const query = Array.from({ length: 2_000 }, (_, index) => index.toString(36)).join('&');
    const answer = await service.client.sendTo(listWorkspaces, {
      path: `${pathOf(listWorkspaces)}?${query}`,
      headers: [credential()],
    });
    expect(answer.problem?.violations).toHaveLength(100);
    expect(answer.problem?.errors.at(-1)).toBe('And 1,900 more.');
    return answer;
  });

  itAnswers('200 for an empty query and for a bodyless request that names a media type', async () =>
    Promise.all([
      service.client.sendTo(getCurrentUser, { path: `${pathOf(getCurrentUser)}?`, headers: [credential()] }),
      service.client.sendTo(getCurrentUser, { headers: [credential(), json] }),
    ]),
  );
});

describe('a body where none is asked for', () => {
  const send = (mediaType: string, body: string) =>
    service.client.sendTo(getCurrentUser, { headers: [credential(), ['Content-Type', mediaType]], body });

  itAnswers('415 MEDIA_TYPE_UNSUPPORTED when it is not said to be JSON', () => send('text/plain', 'junk'));
  itAnswers('413 BODY_TOO_LARGE when it is over 64 KiB', () => send('application/json', ' '.repeat(64 * 1024 + 1)));
  itAnswers('200 when it is JSON: nobody reads it', () => send('application/json', '{"any":1}'));
});

describe('bytes that Node refuses before there is a request', () => {
  itRefusesMalformedBytes(service, () => fixture.systemAdmin.bearer);
});
