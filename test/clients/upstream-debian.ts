import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distsOf, flatOf } from '../types/debian-upstreams.ts';
import { builtDeb } from './drivers/debian.ts';
import type { Package } from './drivers/driver.ts';
import { etagged, type UpstreamType } from './upstream-type.ts';

/** The packages that were built: the bytes of a version are those of its first question. */
const built = new Map<string, Buffer>();

const packageOf = (each: Package): Buffer => {
  const key = JSON.stringify([each.name, each.version, each.content]);
  const bytes = built.get(key) ?? builtDeb(each);
  built.set(key, bytes);
  return bytes;
};

/** Signs as the maintainers of an archive do, with a key that is made at the first use. */
class Signer {
  private readonly home = mkdtempSync(join(tmpdir(), 'stockroom-gpg-'));

  constructor() {
    const key = ['--quick-generate-key', 'Upstream <archive@upstream.example>', 'rsa3072', 'sign', 'never'];
    this.gpg(key);
    process.once('exit', () => rmSync(this.home, { recursive: true, force: true }));
  }

  gpg(parameters: readonly string[], input = ''): Buffer {
    const options = ['--batch', '--quiet', '--homedir', this.home, '--passphrase', '', '--armor'];
    return execFileSync('gpg', [...options, ...parameters], { input, stdio: 'pipe' });
  }

  /** Ends the agent, which starts anew when it is needed. */
  rest(): void {
    execFileSync('gpgconf', ['--homedir', this.home, '--kill', 'all']);
  }
}

let signer: Signer | undefined;

/** Documents beside which the signatures of the Release in a folder are, with the key. */
const signed = (
  documents: Readonly<Record<string, string | Uint8Array>>,
  folder: string,
): Readonly<Record<string, string | Uint8Array>> => {
  signer ??= new Signer();
  const release = String(documents[`${folder}Release`]);
  const signatures = {
    [`${folder}InRelease`]: signer.gpg(['--clearsign'], release),
    [`${folder}Release.gpg`]: signer.gpg(['--detach-sign'], release),
    'key.asc': signer.gpg(['--export']),
  };
  signer.rest();
  return { ...documents, ...signatures };
};

/** What a site has of a package by path, with or without distributions. Its list says where the package is as `dpkg-scanpackages .` does. */
export const scannedSite = (
  each: Package,
  hasDistributions: boolean,
): Readonly<Record<string, string | Uint8Array>> => {
  const path = `${hasDistributions ? 'pool/main/' : ''}${each.name}_${each.version}_all.deb`;
  const listed = { [`./${path}`]: packageOf(each) };
  const documents = hasDistributions ? signed(distsOf(listed), 'dists/stable/') : signed(flatOf(listed), '');
  return { ...documents, [path]: packageOf(each) };
};

/** What a site serves of these versions of one package, by path, with a list, a Release and its key. */
export const debianSite: UpstreamType['documentsOf'] = async (_upstream, versions) => {
  const packages = Object.fromEntries(
    versions.map((each) => [`pool/main/${each.name}_${each.version}_all.deb`, packageOf(each)] as const),
  );
  const contents = { ...signed(distsOf(packages), 'dists/stable/'), ...packages };
  return Object.fromEntries(
    Object.entries(contents).map(([path, content]) => [
      `/debian-site/${path}`,
      etagged(Buffer.from(content as Uint8Array), 'application/octet-stream'),
    ]),
  );
};
