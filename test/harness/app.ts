import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { buildBundles, buildDirectory, bundleOf, doorBundleId } from '../../infra/api/bundles.ts';
import { createApp } from '../../infra/app.ts';

// The stage dev three times, of the same bundles: as cdk.json has it, with a door, and with a front for reads.
const { CDK_OUTDIR: directory = 'cdk.out' } = process.env;
const plain = join(directory, 'plain');
const withDoor = join(directory, 'door');
(await createApp(buildBundles, { outdir: plain })).synth();
(await createApp(async () => {}, { outdir: withDoor, context: { uploads: 'local' } })).synth();
(await createApp(async () => {}, { outdir: join(directory, 'front'), context: { reads: 'url' } })).synth();
await copyFile(join(buildDirectory, 'metafile.json'), join(plain, 'metafile.json'));
await cp(bundleOf(doorBundleId), join(withDoor, doorBundleId), { recursive: true });
