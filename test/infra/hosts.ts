import { generateKeyPairSync } from 'node:crypto';
import { endpoints } from '../../functions/endpoints.ts';
import type { Settings } from '../../infra/settings.ts';
import { type StageName, type Synthesis, settingsOf, synthesiseVariant } from './templates.ts';

type DownloadKey = Settings['downloadKeys'][number];

/** Enough where nothing is said about every endpoint. */
export const someEndpoints = endpoints.filter(({ id }) => /^(?:members|system|universal)\//.test(id));

export const hostName = 'stockroom.example.com';
export const balancerCertificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/abc';
export const edgeCertificate = 'arn:aws:acm:us-east-1:123456789012:certificate/def';

/** Two keys that sign addresses of files: the public ones, and where the private ones are. */
export const downloadKeys = ['first', 'second'].map((name) => ({
  publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64'),
  secretArn: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:downloads/${name}-AbCdEf`,
})) as [DownloadKey, DownloadKey];

/** What a stage needs for one of the hosts. */
export const hostSettings = (
  stage: StageName,
  uploads: 'web-function' | 'fargate',
  ofDoor: Partial<Settings['door']> = {},
): Partial<Settings> => ({
  uploads,
  domain: {
    name: hostName,
    certificateArn: balancerCertificate,
    hostedZone: { id: 'Z0123456789', name: 'example.com' },
  },
  door: { ...settingsOf(stage).door, certificateArn: edgeCertificate, ...ofDoor },
});

/** A stage with one of the hosts, and some of its endpoints; where it is validated, cdk-nag looks for flaws. */
export const synthesiseHost = (
  stage: StageName,
  uploads: 'web-function' | 'fargate',
  { ofDoor, isValidated = false }: { ofDoor?: Partial<Settings['door']>; isValidated?: boolean } = {},
): Synthesis =>
  synthesiseVariant({
    stage,
    endpoints: someEndpoints,
    change: hostSettings(stage, uploads, ofDoor),
    isValidated,
  });
