import { createHash } from 'node:crypto';
import { gemOf, gemPath } from '../../types/gems.ts';
import type { Registry } from '../drivers/driver.ts';
import { bundle } from '../drivers/gems.ts';
import { ask, put, requireHash, type UpdatedType, type Updater, wordsOf } from './updater.ts';

const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** The copy of a document that a client appends to, as Bundler does (`CompactIndexClient::Updater`). */
class GrowingCopy {
  private readonly registry: Registry;
  bytes: Buffer = Buffer.alloc(0);
  private etag = '';

  constructor(registry: Registry) {
    this.registry = registry;
  }

  async update(): Promise<void> {
    const known = this.bytes.length;
    const headers = known === 0 ? undefined : { Range: `bytes=${known - 1}-`, 'If-None-Match': this.etag };
    const answer = await ask(this.registry, 'versions', headers ? { headers } : {});
    if (answer.status === 304) return;
    const grown = Buffer.concat([this.bytes.subarray(0, known - 1), answer.bytes]);
    // What was written anew is fetched whole.
    const isGrown = answer.status === 206 && this.holds(grown, answer.headers);
    const whole = answer.status === 200 ? answer : isGrown ? undefined : await ask(this.registry, 'versions');
    this.bytes = whole ? whole.bytes : grown;
    const { headers: last } = whole ?? answer;
    if (!this.holds(this.bytes, last)) throw new Error('Hash Sum mismatch of versions');
    this.etag = last.get('etag') ?? '';
  }

  private holds(bytes: Buffer, headers: Headers): boolean {
    const digest = createHash('sha256').update(bytes).digest('base64');
    return headers.get('etag') === `"${md5Of(bytes)}"` && headers.get('repr-digest') === `sha-256=:${digest}:`;
  }
}

/** The versions of each gem in such a document, and the hash of the last line. */
const gemsIn = (versions: string) => {
  const gems = new Map<string, { versions: string[]; md5: string }>();
  for (const line of versions.split('---\n')[1]?.trim().split('\n') ?? []) {
    const [name = '', changes = '', md5 = ''] = line.split(' ');
    gems.set(name, { versions: [...(gems.get(name)?.versions ?? []), ...changes.split(',')], md5 });
  }
  return gems;
};

const updater = (registry: Registry): Updater => {
  const copy = new GrowingCopy(registry);
  const infos = new Map<string, { md5: string; text: string }>();
  /** Reads what is about a gem. It may be newer than the hash by which `versions` names it: the next `versions` has its hash then. */
  const readInfo = async (name: string, md5: string): Promise<void> => {
    if (infos.get(name)?.md5 === md5) return;
    const { bytes, headers } = await ask(registry, `info/${name}`);
    const found = md5Of(bytes);
    if (headers.get('etag') !== `"${found}"`) throw new Error(`Hash Sum mismatch of info/${name}`);
    infos.set(name, { md5: found, text: bytes.toString() });
    if (found === md5) return;
    await copy.update();
    const named = gemsIn(copy.bytes.toString()).get(name)?.md5 ?? '';
    if (named === md5) throw new Error(`Hash Sum mismatch of info/${name}: ${found} in place of ${md5}`);
    await readInfo(name, named);
  };
  return {
    update: async () => {
      await copy.update();
      const gems = gemsIn(copy.bytes.toString());
      for (const [name, { md5 }] of gems) await readInfo(name, md5);
      return new Set(
        Array.from(gems).flatMap(([name, { versions }]) => versions.map((version) => wordsOf({ name, version }))),
      );
    },
    download: async ({ name, version }) => {
      const line =
        infos
          .get(name)
          ?.text.split('\n')
          .find((each) => each.startsWith(`${version} `)) ?? '';
      const [, hash = ''] = /checksum:([0-9a-f]{64})/.exec(line) ?? [];
      requireHash(name, (await ask(registry, gemPath({ name, version }))).bytes, hash);
    },
  };
};

export const gems: UpdatedType = {
  packageType: 'gems',
  client: 'bundler',
  publish: async (registry, build) => put(registry, 'api/v1/gems', gemOf(build), 'POST'),
  updater,
  runClient: async (sandbox, registry, { name, version }) => {
    sandbox.write({ 'project/Gemfile': `source '${registry.url}'\ngem '${name}', '${version}'\n` });
    return bundle(sandbox, registry, 'install');
  },
};
