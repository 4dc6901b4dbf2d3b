import { getDebianDocument } from '../../functions/debian/contracts.ts';
import { getRpmDocument } from '../../functions/rpm/contracts.ts';
import { signingKeysVariable } from '../../shared/config.ts';
import type { PackageFormat } from '../harness/package-format.ts';
import { paramsOf } from '../harness/package-format.ts';
import { shareOf } from '../harness/sampling.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { debianFormat } from '../types/debian.ts';
import { rpmFormat } from '../types/rpm.ts';
import { rotationOfKeys } from '../types/signing-keys.ts';

const { before, during, after } = rotationOfKeys();
/** Changes count from the next reload on. */
const variables: Record<string, string> = { ...reachingLoopback, [signingKeysVariable]: before };
const service = useService({ environment: variables });

/** What is signed in a repository of a type, and where its signature is. */
const signed: readonly (readonly [PackageFormat, document: string, signature: string])[] = [
  [debianFormat, 'dists/stable/InRelease', 'dists/stable/InRelease'],
  [debianFormat, 'dists/stable/Release', 'dists/stable/Release.gpg'],
  [rpmFormat, 'repodata/repomd.xml', 'repodata/repomd.xml.asc'],
];

/** The issuers of the signatures in an armored text (RFC 9580, section 5.2.3.35), by their fingerprints. */
const issuersOf = (text: string): readonly string[] => {
  const [, armor = ''] = /-----BEGIN PGP SIGNATURE-----\n\n([A-Za-z0-9+/=\n]+?)\n(?:=|-----END)/.exec(text) ?? [];
  return Array.from(
    Buffer.from(armor, 'base64')
      .toString('hex')
      .matchAll(/162104([0-9a-f]{40})/g),
    ([, issuer = '']) => issuer,
  );
};

describe('While one key replaces another, without a publication', () => {
  it.each(shareOf(signed, 2).map((each) => [each[1], ...each] as const))(
    '%s has the signatures of all keys of the stage',
    async (_, format, document, signature) => {
      const { world, client, runner } = service;
      const [workspace, { bearer: as }] = [await world.workspace(), await world.systemAdmin()];
      const repository = await world.repository(workspace, undefined, format.packageType);
      await format.publish(service, { workspace, repository, name: uniqueName('pkg'), version: '1.0', as }, 'content');
      const contract = format === rpmFormat ? getRpmDocument : getDebianDocument;
      const issuersWith = async (keys: string): Promise<readonly string[]> => {
        variables[signingKeysVariable] = keys;
        await runner.reload();
        await client.attempt(contract, { params: paramsOf({ workspace, repository }, document), as });
        const { text } = await client.attempt(contract, { params: paramsOf({ workspace, repository }, signature), as });
        return issuersOf(text);
      };
      const [one, both, two] = [await issuersWith(before), await issuersWith(during), await issuersWith(after)];
      expect([one.length, two.length]).toEqual([1, 1]);
      expect(both).toEqual([...one, ...two]);
      expect(one).not.toEqual(two);
    },
  );
});
