import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { buildBundles, buildDirectory, bundleOf, doorBundleId } from '../../infra/api/bundles.ts';
import { createApp } from '../../infra/app.ts';

/** The stage with CloudFront before the front for reads. Of its key, the tests have neither half: they make one. */
const { stages } = cdkJson.context;
const behindEdge = {
  ...stages.dev,
  uploads: 'fargate',
  reads: 'edge',
  domain: {
    name: 'stockroom.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/balancer',
    hostedZone: null,
  },
  door: { ...stages.dev.door, certificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/edge' },
  downloadKeys: [
    {
      publicKey: `MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'A'.repeat(86)}==`,
      secretArn: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:downloads-AbCdEf',
    },
  ],
};

// The stage dev four times, of the same bundles: as cdk.json has it, with a door, with a front for reads, and with CloudFront before it.
const { CDK_OUTDIR: directory = 'cdk.out' } = process.env;
const plain = join(directory, 'plain');
const withDoor = join(directory, 'door');
(await createApp(buildBundles, { outdir: plain })).synth();
(await createApp(async () => {}, { outdir: withDoor, context: { uploads: 'local' } })).synth();
(await createApp(async () => {}, { outdir: join(directory, 'front'), context: { reads: 'url' } })).synth();
const context = { stages: { ...stages, dev: behindEdge } };
(await createApp(async () => {}, { outdir: join(directory, 'edge'), context })).synth();
await copyFile(join(buildDirectory, 'metafile.json'), join(plain, 'metafile.json'));
await cp(bundleOf(doorBundleId), join(withDoor, doorBundleId), { recursive: true });
