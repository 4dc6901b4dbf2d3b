import { createHash } from 'node:crypto';
import { getPackageVersion } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';

const service = useService();
const world = usePackageWorld(service);

const get = (name: string, version: string) =>
  service.client.attempt(getPackageVersion, {
    params: world.params({ package: name, version }),
    as: world.admin.bearer,
  });

describe('GET …/packages/{package}/versions/{version}', () => {
  itAnswers('200 with its files, their hashes and who published each by which token', async () => {
    await world.publish('tools/formatter/1.0.0/b', 'second');
    await world.publish('tools/formatter/1.0.0/a', 'first');
    const answer = await get('tools/formatter', '1.0.0');
    const { username, userId, tokenId } = world.admin;
    const origin = { origin: 'published', publishedBy: { kind: 'user', userId, username, tokenId }, fetchedFrom: null };
    const fileOf = (name: string, content: string) => ({
      name,
      sizeInBytes: content.length,
      mediaType: 'application/octet-stream',
      ...Object.fromEntries(
        ['sha256', 'sha512', 'sha1', 'md5'].map((hash) => [hash, createHash(hash).update(content).digest('hex')]),
      ),
      createdAt: expect.any(String),
      ...origin,
    });
    expect(answer.result).toMatchObject({
      packageName: 'tools/formatter',
      version: '1.0.0',
      fileCount: 2,
      sizeInBytes: 11,
      ...origin,
      files: [fileOf('a', 'first'), fileOf('b', 'second')],
    });
    return answer;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => {
    await world.publish('known/1.0.0/file');
    return [await get('known', '1.0'), await get('known', '#'.repeat(900))];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', () => get('unknown', '1.0.0'));
});
