import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createTrust } from '../../functions/trusts/contracts.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import type { Fixture } from './fixture.ts';
import { Upstream } from './upstream.ts';
import { uniqueName } from './world.ts';

type NewTrustBody = BodyOf<typeof createTrust>;

/** The URL of the service, as the audience of identity tokens. */
export const audience = 'https://stockroom.example.com';

/** The body of a trust in the workflows of one repository of GitHub. */
export const trustBody = (repository: { readonly id: string }, fields: Partial<NewTrustBody> = {}): NewTrustBody => ({
  name: uniqueName('trust'),
  provider: 'github',
  audience,
  conditions: [{ claim: 'repository_id', equals: '123456789' }],
  repositories: [{ repositoryReference: repository.id, repositoryPermissionLevel: 'canDeploy' }],
  ...fields,
});

/** A trust on the repository of a fixture. */
export const trustOf = (
  { client, workspace, repository, systemAdmin }: Pick<Fixture, 'client' | 'workspace' | 'repository' | 'systemAdmin'>,
  fields: Partial<NewTrustBody> = {},
) =>
  client.succeed(createTrust, {
    params: { workspace: workspace.id },
    body: trustBody(repository, fields),
    as: systemAdmin.bearer,
  });

/** A key of the issuer, with the ID under which it is published. */
export interface IssuerKey {
  readonly kid: string;
  readonly algorithm: 'RS256' | 'ES256';
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Generates a key. */
export const newIssuerKey = (algorithm: IssuerKey['algorithm'] = 'ES256', rsaBits = 2048): IssuerKey => {
  const pair =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: rsaBits })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: randomUUID(), algorithm, ...pair };
};

export const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs as the algorithm of a key says; independent of the library that verifies. */
export const signedBy = ({ algorithm, privateKey }: IssuerKey, text: string): string =>
  sign(
    'sha256',
    Buffer.from(text),
    algorithm === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey,
  ).toString('base64url');

/** A JSON Web Token with a signature that fits its header, unless the header says otherwise. */
export const jwtOf = (key: IssuerKey, claims: object, header: object = {}): string => {
  const text = `${encoded({ alg: key.algorithm, typ: 'JWT', kid: key.kid, ...header })}.${encoded(claims)}`;
  return `${text}.${signedBy(key, text)}`;
};

/** An issuer of identity tokens on the loopback: a discovery document, keys, and tokens that they sign. */
export class Issuer {
  readonly server = new Upstream();
  /** The keys that it publishes. */
  keys: IssuerKey[] = [newIssuerKey('ES256'), newIssuerKey('RS256')];

  get url(): string {
    return this.server.url;
  }

  async start(): Promise<void> {
    await this.server.start();
    this.heal();
  }

  /** Answers as it should from now on. */
  heal(): void {
    this.server.reset();
    this.server.answer = this.answering();
  }

  /** The answers, some of them replaced by path. */
  answering(others: Readonly<Record<string, RequestListener>> = {}): RequestListener {
    return (request, response) => {
      const path = request.url ?? '';
      const other = others[path];
      if (other) return other(request, response);
      const documents: Readonly<Record<string, object>> = {
        '/.well-known/openid-configuration': { issuer: this.url, jwks_uri: `${this.url}/keys` },
        '/keys': { keys: this.keys.map((key) => this.published(key)) },
      };
      const document = documents[path];
      if (!document) return response.writeHead(404).end();
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document));
    };
  }

  /** How a key is published. */
  published({ publicKey, kid, algorithm }: IssuerKey): object {
    return { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' };
  }

  /** The claims of a workflow of GitHub on the main branch. */
  claims(others: object = {}): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    return {
      iss: this.url,
      aud: audience,
      sub: 'repo:acme/app:ref:refs/heads/main',
      iat: now,
      nbf: now,
      exp: now + 300,
      repository: 'acme/app',
      repository_id: '123456789',
      repository_owner: 'acme',
      ref: 'refs/heads/main',
      event_name: 'push',
      ...others,
    };
  }

  /** An identity token with these claims, signed by the first key unless another one is given. */
  token(claims: object = {}, key: IssuerKey = this.keys[0] as IssuerKey, header: object = {}): string {
    return jwtOf(key, this.claims(claims), header);
  }

  /** Replaces all keys. */
  rotate(): void {
    this.keys = [newIssuerKey('ES256'), newIssuerKey('RS256')];
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

let shared: Promise<Issuer> | undefined;

const startShared = async (): Promise<Issuer> => {
  const issuer = new Issuer();
  await issuer.start();
  issuer.server.unref();
  return issuer;
};

/** An issuer for the suites of all endpoints, as long as the process runs. Their functions must reach the loopback. */
export const sharedIssuer = (): Promise<Issuer> => {
  shared ??= startShared();
  return shared;
};

/** Runs an issuer for the tests of a file. */
export const useIssuer = (): Issuer => {
  const issuer = new Issuer();
  beforeAll(() => issuer.start());
  beforeEach(() => issuer.heal());
  afterAll(() => issuer.stop());
  return issuer;
};
