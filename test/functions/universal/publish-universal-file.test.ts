import { hash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createLocalRepository } from '../../../functions/repositories/contracts.ts';
import { getUniversalFile, publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repository: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
  repository = await service.client.succeed(createLocalRepository, {
    params: { workspace: workspace.id },
    body: { name: uniqueName('files'), packageType: 'universal' },
    as: admin.bearer,
  });
});

const addressOf = (path: string): string => `/universal/${workspace.name}/${repository.name}/${path}`;

const publish = async (path: string, body: string | Uint8Array, as = admin.bearer) =>
  service.client.sendTo(publishUniversalFile, { path: addressOf(path), headers: [['Authorization', as]], body });

const get = async (path: string, headers: readonly (readonly [string, string])[] = [], method = 'GET') =>
  service.client.sendTo(getUniversalFile, {
    method,
    path: addressOf(path),
    headers: [['Authorization', admin.bearer], ...headers],
  });

describe('PUT /universal/{workspace}/{repository}/{path+}', () => {
  itAnswers('201 with what was stored, which the next read serves', async () => {
    const answer = await publish('tools/formatter/1.0.0/formatter.txt', 'the file');
    expect(answer.result).toEqual({
      package: 'tools/formatter',
      version: '1.0.0',
      file: 'formatter.txt',
      sizeInBytes: 8,
      sha256: sha256('the file'),
    });
    const { status, text, headers } = await get('tools/formatter/1.0.0/formatter.txt');
    expect({ status, text, origin: headers['x-stockroom-origin'] }).toEqual({
      status: 200,
      text: 'the file',
      origin: repository.name,
    });
    return answer;
  });

  itAnswers('400 BODY_MALFORMED for a part of a file, and takes the whole of it afterwards', async () => {
    const path = addressOf('resumed/1.0.0/file');
    const headers = [['Authorization', admin.bearer] as const];
    const answer = await service.client.sendTo(publishUniversalFile, {
      path,
      headers: [...headers, ['Content-Range', 'bytes 5-9/10']],
      body: '56789',
    });
    expect(answer.problem?.detail).toContain('send it without Content-Range');
    const whole = await service.client.sendTo(publishUniversalFile, { path, headers, body: '0123456789' });
    expect(whole.status).toBe(201);
    return answer;
  });

  itAnswers('415 MEDIA_TYPE_UNSUPPORTED for compressed bytes, and does not ask for JSON', async () => {
    const headers = [['Authorization', admin.bearer] as const, ['Content-Encoding', 'gzip'] as const];
    const answer = await service.client.sendTo(publishUniversalFile, {
      path: addressOf('compressed/1.0.0/file'),
      headers,
      body: gzipSync('bytes'),
    });
    expect(answer.problem?.detail).toBe('Send the body uncompressed, without Content-Encoding.');
    expect((await get('compressed/1.0.0/file')).status).toBe(404);
    return answer;
  });

  itAnswers('409 VERSION_EXISTS for a file that is there, whatever its bytes', async () => {
    await publish('once/1.0.0/file', 'first');
    return [await publish('once/1.0.0/file', 'first'), await publish('once/1.0.0/file', 'second')];
  });

  it('sends a large file by a redirect that needs no credential and takes none', async () => {
    const bytes = randomBytes(300_000);
    await publish('large/1.0.0/file.bin', bytes);
    const { status, headers } = await get('large/1.0.0/file.bin');
    expect(status).toBe(302);
    const answer = await fetch(String(headers.location));
    const content = Buffer.from(await answer.arrayBuffer());
    expect(content.equals(bytes)).toBe(true);
    expect((await fetch(String(headers.location), { headers: { Authorization: admin.bearer } })).status).toBe(400);
  });

  it('answers HEAD with the length, whatever the size', async () => {
    await publish('head/1.0.0/small', 'small');
    const { status, headers } = await get('head/1.0.0/small', [], 'HEAD');
    expect({ status, length: headers['content-length'] }).toEqual({ status: 200, length: '5' });
  });

  itAnswers('413 BODY_TOO_LARGE in the same words whether the function or the gateway refuses it', async () => {
    const answers = [
      await publish('large/2.0.0/file', Buffer.alloc(4_500_001)),
      await publish('large/2.0.0/file', Buffer.alloc(5_000_000)),
    ];
    for (const { problem } of answers)
      expect(problem?.detail).toMatch(/at most 4(?:500000 bytes|\.5 MB).*POST \/1\/workspaces.*\/packages\/uploads/);
    return answers;
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a member without a permission', async () => {
    const member = await service.world.member(workspace);
    return publish('denied/1.0.0/file', 'x', member.bearer);
  });

  itAnswers('403 FORBIDDEN for who may only view', async () => {
    const viewer = await service.world.member(workspace);
    await service.world.grant(workspace, repository, viewer, 'canView');
    return publish('denied/1.0.0/file', 'x', viewer.bearer);
  });

  itAnswers('400 PACKAGE_INVALID for a path that names no file of a version', async () =>
    Promise.all(
      ['file', '1.0.0/file', 'a//1.0.0/file', 'a%2fb/1.0.0/file', 'a/../1.0.0/file'].map((path) => publish(path, 'x')),
    ),
  );

  itAnswers('400 PACKAGE_INVALID for a name that names no file as people see it', async () => {
    const hidden = [
      '\u202egpj.exe',
      'a\u200bb',
      'a\u2066b',
      '\u061ca',
      'a\ufeff',
      'a\u2028b',
      'a\u2029',
      ' ..',
      ' a',
      'a ',
      '\u00a0a',
    ];
    const paths = hidden.flatMap((text) => {
      const name = encodeURIComponent(text);
      return [`${name}/1.0.0/file`, `a/${name}/file`, `a/1.0.0/${name}`];
    });
    return Promise.all(paths.map((path) => publish(path, 'x')));
  });

  itAnswers('201 for a name with blanks inside, and in any script', async () =>
    Promise.all(
      [`${uniqueName()}/1.0.0/a b`, `${uniqueName()}/1.0.0/نام`, `${uniqueName()}/1.0.0/名前`].map((path) =>
        publish(encodeURI(path), 'x'),
      ),
    ),
  );

  const publishWith = async (path: string, headers: readonly (readonly [string, string])[], body = 'the file') =>
    service.client.sendTo(publishUniversalFile, {
      path: addressOf(path),
      headers: [['Authorization', admin.bearer], ...headers],
      body,
    });

  const digest = (algorithm: string, body: string): string => `:${hash(algorithm, body, 'base64')}:`;

  const checksums = (body: string) =>
    [
      ['X-Checksum-Sha256', hash('sha256', body, 'hex')],
      ['X-Checksum-Sha512', hash('sha512', body, 'hex').toUpperCase()],
      ['X-Checksum-Sha1', hash('sha1', body, 'hex')],
      ['X-Checksum-Md5', hash('md5', body, 'hex')],
      ['Content-Digest', `sha-256=${digest('sha256', body)}`],
      ['Content-Digest', `crc32c=:AAAAAA==:, sha-512=${digest('sha512', body)};q=1`],
      ['Repr-Digest', `sha=${digest('sha1', body)}`],
      ['Repr-Digest', `sha-256=${digest('sha256', body).replace('=', '')},md5=${digest('md5', body)}`],
    ] as const;

  itAnswers('201 for a body with the checksums that came with it', async () =>
    Promise.all(
      checksums('the file').map((header, index) => publishWith(`${uniqueName()}/1.0.${index}/file`, [header])),
    ),
  );

  itAnswers('400 PACKAGE_INVALID for a body with another checksum than came with it, and publishes nothing', async () =>
    Promise.all(
      checksums('another file').map(async ([name, value]) => {
        const path = `${uniqueName()}/1.0.0/file`;
        const answer = await publishWith(path, [[name, value]]);
        expect(answer.problem?.detail).toContain(`${name} says `);
        expect((await get(path)).status).toBe(404);
        // No tombstone either: other bytes may have this name.
        expect((await publish(path, 'yet another file')).status).toBe(201);
        return answer;
      }),
    ),
  );

  it('says both checksums, in the form of the header', async () => {
    const detailOf = async (name: string, value: string) =>
      (await publishWith(`${uniqueName()}/1.0.0/file`, [[name, value]])).problem?.detail;
    const [sent, known] = [sha256('another file'), sha256('the file')];
    expect(await detailOf('X-Checksum-Sha256', sent)).toBe(
      `The body arrived with the sha256 ${known}, and X-Checksum-Sha256 says ${sent}: it was changed on its way, or is another file. Send it again, or correct the header. Nothing was published.`,
    );
    const inBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replace('=', '');
    expect(await detailOf('Repr-Digest', `sha-256=:${inBase64(sent)}=:`)).toContain(
      `the sha256 ${inBase64(known)}, and Repr-Digest says ${inBase64(sent)}:`,
    );
  });

  itAnswers('400 PACKAGE_INVALID for a malformed checksum, and publishes nothing', async () => {
    const [hex, base64] = [hash('sha256', 'the file', 'hex'), digest('sha256', 'the file')];
    const malformed = [
      ['X-Checksum-Sha256', hex.slice(1)],
      ['X-Checksum-Sha256', hex.replace(/^./, 'g')],
      ['X-Checksum-Sha1', hex],
      ['X-Checksum-Md5', 'x'],
      ['Content-Digest', hex],
      ['Content-Digest', `sha-256=${hex}`],
      ['Content-Digest', `sha-512=${base64}`],
      ['Content-Digest', `sha-256=${base64},`],
      ['Repr-Digest', `SHA-256=${base64}`],
      ['Repr-Digest', 'sha-256=::'],
    ] as const;
    return Promise.all(
      malformed.map(async (header) => {
        const path = `${uniqueName()}/1.0.0/file`;
        const answer = await publishWith(path, [header]);
        expect(answer.problem?.detail).toMatch(new RegExp(`^The header ${header[0]} must be .*Nothing was published`));
        expect((await get(path)).status).toBe(404);
        return answer;
      }),
    );
  });

  itAnswers('400 PACKAGE_INVALID for another checksum also where the Idempotency-Key is known', async () => {
    const path = `${uniqueName()}/1.0.0/file`;
    const key = ['Idempotency-Key', uniqueName()] as const;
    const [right] = checksums('the file');
    expect((await publishWith(path, [key, right])).status).toBe(201);
    expect((await publishWith(path, [key, right])).status).toBe(201);
    const [wrong] = checksums('another file');
    return publishWith(path, [key, wrong]);
  });
});
