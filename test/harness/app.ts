import { once } from 'node:events';
import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
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
// A thread makes the last two meanwhile.
const { CDK_OUTDIR: directory = 'cdk.out' } = process.env;
const synthesise = async (name: string, context: object, build = async () => {}): Promise<void> => {
  (await createApp(build, { outdir: join(directory, name), context })).synth();
};

if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url));
  const ended = once(thread, 'exit');
  await synthesise('plain', {}, async () => {
    await buildBundles();
    thread.postMessage('built');
  });
  await synthesise('door', { uploads: 'local' });
  await copyFile(join(buildDirectory, 'metafile.json'), join(directory, 'plain', 'metafile.json'));
  await cp(bundleOf(doorBundleId), join(directory, 'door', doorBundleId), { recursive: true });
  await ended;
} else {
  if (parentPort) await once(parentPort, 'message');
  await synthesise('front', { reads: 'url' });
  await synthesise('edge', { stages: { ...stages, dev: behindEdge } });
}
