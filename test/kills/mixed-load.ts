import { randomBytes, randomInt } from 'node:crypto';
import { sha256 } from '../harness/bytes.ts';
import { accountHeader } from '../harness/credentials.ts';
import { digestOf, imageMediaType, manifestOf, newImage } from '../harness/images.ts';
import { publishBody, tarballOf } from '../harness/npm.ts';
import { whenAvailable } from '../harness/retry.ts';
import { announced, formOf } from '../harness/uploads.ts';
import { firstAdmin, uniqueName } from '../harness/world.ts';

interface Sent {
  readonly body?: Uint8Array | string | object;
  readonly type?: string;
}

/** What a session answers of its only file. */
interface Session {
  readonly id: string;
  readonly files: readonly { readonly uploadUrl: string; readonly uploadHeader: string }[];
}

const authorization = accountHeader(firstAdmin.username, firstAdmin.password);
const repositories = '/1/workspaces/acme/repositories';
const [files, packages, images] = ['/universal/acme/files', '/npm/acme/packages', '/v2/acme/images'];

/** Requests of many kinds to a local service, as its first system admin, and what the service has acknowledged of them. */
export class MixedLoad {
  /** The hashes of what was stored, by its path. */
  readonly stored = new Map<string, string>();
  /** The paths of what was deleted. */
  readonly deleted = new Set<string>();
  /** The names of the repositories that were created. */
  readonly repositories = new Set<string>();
  /** How many changes the service has acknowledged. */
  acknowledgedCount = 0;
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Makes the places of the load, and does everything once. Returns what was not acknowledged. */
  async prepare(): Promise<readonly string[]> {
    await this.make('/1/workspaces', { name: 'acme' });
    for (const [name, packageType] of Object.entries({ files: 'universal', packages: 'npm', images: 'docker' }))
      await this.make(`${repositories}/local`, { name, packageType });
    const failed: string[] = [];
    // On a busy machine, the first request of a kind may take more than its time.
    for (const [name, deed] of Object.entries(this.deeds)) if (!((await deed()) || (await deed()))) failed.push(name);
    return failed;
  }

  /** Makes a place of the load, if need be again: the answer of a busy service may come after the place was made. */
  private async make(path: string, body: object): Promise<void> {
    const { status } = await whenAvailable(async () => this.statusOf('POST', path, { body }));
    if (status !== 201 && status !== 409) throw new Error(`POST ${path} was answered ${status}.`);
  }

  private async statusOf(...request: Parameters<MixedLoad['send']>) {
    const response = await this.send(...request);
    return { status: response.status, headers: Object.fromEntries(response.headers), response };
  }

  /** Does one thing after the other, until the service is gone. */
  async work(): Promise<void> {
    const deeds = Object.values(this.deeds);
    for (;;) await deeds[randomInt(deeds.length)]?.();
  }

  async send(method: string, path: string, { body, type }: Sent = {}): Promise<Response> {
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
    const mediaType = type ?? (isJson ? 'application/json' : 'application/octet-stream');
    return fetch(new URL(path, this.url), {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': mediaType }) },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : new Uint8Array(Buffer.from(body)) }),
    });
  }

  /** Of what was acknowledged, what is not as it should be. */
  async missing(): Promise<readonly string[]> {
    const checks = [
      ...Array.from(this.stored, ([path, hash]) => async () => {
        const found = await this.hashAt(path);
        return found === hash || `${path}: ${found}`;
      }),
      ...Array.from(this.deleted, (path) => async () => this.expectStatus(path, 404)),
      ...Array.from(this.repositories, (name) => async () => this.expectStatus(`${repositories}/${name}`, 200)),
    ];
    const found: string[] = [];
    const check = async (): Promise<void> => {
      for (let next = checks.pop(); next; next = checks.pop()) {
        const result = await next();
        if (result !== true) found.push(result);
      }
    };
    await Promise.all(Array.from({ length: 8 }, check));
    return found;
  }

  /** What can be done, each returning whether it was acknowledged. */
  private get deeds(): Readonly<Record<string, () => Promise<boolean>>> {
    return {
      'a small file': async () => this.putFile(randomInt(1, 300_000)),
      'a large file': async () => this.putFile(5_000_000),
      'a form': async () => this.sendForm(),
      'an upload session': async () => this.uploadInSession(),
      'an npm package': async () => this.publishPackage(),
      'an image': async () => this.pushImage(),
      'a repository': async () => this.createRepository(),
      'a deletion': async () => this.deleteFile(),
      'a list': async () => (await this.send('GET', `${repositories}?limit=10`)).status === 200,
      'a read': async () => (await this.send('GET', `${repositories}/files/packages`)).status === 200,
    };
  }

  private note(isAcknowledged: boolean, path: string, content: string | Uint8Array): boolean {
    if (!isAcknowledged) return false;
    this.stored.set(path, sha256(content));
    this.acknowledgedCount += 1;
    return true;
  }

  private async read(path: string): Promise<Response> {
    return (await whenAvailable(async () => this.statusOf('GET', path))).response;
  }

  /** True, or what is found instead. */
  private async expectStatus(path: string, expected: number): Promise<true | string> {
    const { status } = await this.read(path);
    return status === expected || `${path}: ${status}`;
  }

  private async hashAt(path: string): Promise<string> {
    const answer = await this.read(path);
    return answer.status === 200 ? sha256(Buffer.from(await answer.arrayBuffer())) : String(answer.status);
  }

  private async putFile(bytes: number): Promise<boolean> {
    const [path, body] = [`${files}/${uniqueName()}/1.0.0/file.bin`, randomBytes(bytes)];
    const { status } = await this.send('PUT', path, { body });
    return this.note(status === 201, path, body);
  }

  private async sendForm(): Promise<boolean> {
    const [name, file] = [uniqueName(), randomBytes(randomInt(1, 100_000))];
    const { content, mediaType } = formOf([
      { field: 'packageName', value: name },
      { field: 'packageVersion', value: '1.0.0' },
      { file: 'file.bin', content: file },
    ]);
    const sent = { body: content, type: mediaType };
    const { status } = await this.send('POST', `${repositories}/files/packages/single`, sent);
    return this.note(status === 201, `${files}/${name}/1.0.0/file.bin`, file);
  }

  private async uploadInSession(): Promise<boolean> {
    const [packageName, content] = [uniqueName(), randomBytes(randomInt(1, 100_000))];
    const uploads = `${repositories}/files/packages/uploads`;
    const body = { packageName, packageVersion: '1.0.0', files: [announced('file.bin', content)] };
    const begun = await this.send('POST', uploads, { body });
    if (begun.status !== 201) return false;
    const { id, files: expected } = (await begun.json()) as Session;
    for (const { uploadUrl, uploadHeader } of expected) {
      const [name = '', value = ''] = uploadHeader.split(': ');
      await fetch(uploadUrl, { method: 'PUT', headers: { [name]: value }, body: new Uint8Array(content) });
    }
    const { status } = await this.send('POST', `${uploads}/${id}`);
    return this.note(status === 201, `${files}/${packageName}/1.0.0/file.bin`, content);
  }

  private async publishPackage(): Promise<boolean> {
    const name = uniqueName();
    const tarball = tarballOf({ name, version: '1.0.0' }, randomBytes(randomInt(1, 30_000)).toString('hex'));
    const body = publishBody(name, '1.0.0', {}, tarball);
    const { status } = await this.send('PUT', `${packages}/${name}`, { body });
    return this.note(status === 201, `${packages}/${name}/-/${name}-1.0.0.tgz`, tarball);
  }

  private async pushImage(): Promise<boolean> {
    const [path, image] = [`${images}/${uniqueName()}`, newImage()];
    for (const blob of [image.config, ...image.layers]) {
      const location = (await this.send('POST', `${path}/blobs/uploads/`)).headers.get('location');
      if (location === null) return false;
      const { status } = await this.send('PUT', `${location}&digest=${digestOf(blob)}`, { body: blob });
      if (!this.note(status === 201, `${path}/blobs/${digestOf(blob)}`, blob)) return false;
    }
    const manifest = manifestOf(image);
    const { status } = await this.send('PUT', `${path}/manifests/1`, { body: manifest, type: imageMediaType });
    return this.note(status === 201, `${path}/manifests/1`, manifest);
  }

  private async createRepository(): Promise<boolean> {
    const name = uniqueName('r');
    const { status } = await this.send('POST', `${repositories}/local`, { body: { name, packageType: 'npm' } });
    if (status !== 201) return false;
    this.repositories.add(name);
    this.acknowledgedCount += 1;
    return true;
  }

  private async deleteFile(): Promise<boolean> {
    const path = [...this.stored.keys()].find((each) => each.startsWith(files));
    if (path === undefined) return false;
    // From here on, only an answer says whether it is there.
    this.stored.delete(path);
    const { status } = await this.send('DELETE', path);
    if (status !== 200) return false;
    this.deleted.add(path);
    this.acknowledgedCount += 1;
    return true;
  }
}
