import { accessVersionMutants } from './access-versions.ts';
import { advisoryMutants } from './advisories.ts';
import { auditMutants } from './audits.ts';
import { blobMutants } from './blobs.ts';
import { blockedImageMutants } from './blocked-images.ts';
import { boundMutants } from './bounds.ts';
import { browserMutants } from './browsers.ts';
import { cargoMutants } from './cargo.ts';
import { chocolateyMutants } from './chocolatey.ts';
import { clientMutants } from './clients.ts';
import { composerMutants } from './composer.ts';
import { conanMutants } from './conan.ts';
import { connectionMutants } from './connections.ts';
import { consoleMutants } from './console.ts';
import { consoleFormMutants } from './console-forms.ts';
import { consolePageMutants } from './console-pages.ts';
import { debianMutants } from './debian.ts';
import { debianUpstreamMutants } from './debian-upstreams.ts';
import { deploymentMutants } from './deployments.ts';
import { doorMutants } from './door.ts';
import { edgeMutants } from './edge.ts';
import { foreignNameMutants } from './foreign-names.ts';
import { foreignPageMutants } from './foreign-pages.ts';
import { formatMutants } from './formats.ts';
import { frontMutants } from './front.ts';
import { gateMutants } from './gates.ts';
import { typeGateMutants } from './gates-of-types.ts';
import { gemsMutants } from './gems.ts';
import { hostMutants } from './hosts.ts';
import { idempotencyMutants } from './idempotency.ts';
import { imageUpstreamMutants } from './image-upstreams.ts';
import { imageMutants } from './images.ts';
import { keptGateMutants } from './kept-gates.ts';
import { localAnswerMutants } from './local-answers.ts';
import { localFunctionMutants } from './local-functions.ts';
import { localRunnerMutants } from './local-runner.ts';
import { lostIndexMutants } from './lost-indexes.ts';
import type { Mutant } from './mutant.ts';
import { nameMutants } from './names.ts';
import { nupkgMutants } from './nupkgs.ts';
import { objectStoreMutants } from './object-store.ts';
import { operationMutants } from './operation.ts';
import { outageMutants } from './outages.ts';
import { packageAnswerMutants, packageReadingMutants } from './package-answers.ts';
import { packageMutants } from './packages.ts';
import { pipelineMutants } from './pipelines.ts';
import { readmeMutants } from './readmes.ts';
import { readMutants } from './reads.ts';
import { recordMutants } from './records.ts';
import { rememberedMutants } from './remembered.ts';
import { requestMutants } from './requests.ts';
import { rightsMutants } from './rights.ts';
import { robustnessMutants } from './robustness.ts';
import { rotationMutants } from './rotations.ts';
import { rpmMutants } from './rpm.ts';
import { sessionMutants } from './sessions.ts';
import { signingMutants } from './signing.ts';
import { stackMutants } from './stack.ts';
import { storageMutants } from './storage.ts';
import { formerSurvivors } from './survivors.ts';
import { trustMutants } from './trusts.ts';
import { typeMutants } from './types.ts';
import { uploadMutants } from './uploads.ts';
import { upstreamMutants } from './upstreams.ts';

/** All bugs that `npm run test:mutants` plants. */
export const bank: readonly Mutant[] = [
  ...accessVersionMutants,
  ...trustMutants,
  ...typeMutants,
  ...chocolateyMutants,
  ...signingMutants,
  ...nupkgMutants,
  ...cargoMutants,
  ...formatMutants,
  ...composerMutants,
  ...conanMutants,
  ...objectStoreMutants,
  ...localRunnerMutants,
  ...edgeMutants,
  ...frontMutants,
  ...localFunctionMutants,
  ...operationMutants,
  ...packageMutants,
  ...packageAnswerMutants,
  ...packageReadingMutants,
  ...upstreamMutants,
  ...clientMutants,
  ...connectionMutants,
  ...uploadMutants,
  ...doorMutants,
  ...browserMutants,
  ...nameMutants,
  ...imageMutants,
  ...imageUpstreamMutants,
  ...foreignNameMutants,
  ...foreignPageMutants,
  ...gateMutants,
  ...blockedImageMutants,
  ...keptGateMutants,
  ...advisoryMutants,
  ...auditMutants,
  ...typeGateMutants,
  ...gemsMutants,
  ...debianMutants,
  ...debianUpstreamMutants,
  ...rpmMutants,
  ...hostMutants,
  ...readMutants,
  ...recordMutants,
  ...idempotencyMutants,
  ...requestMutants,
  ...storageMutants,
  ...lostIndexMutants,
  ...rightsMutants,
  ...formerSurvivors,
  ...robustnessMutants,
  ...outageMutants,
  ...stackMutants,
  ...boundMutants,
  ...pipelineMutants,
  ...blobMutants,
  ...deploymentMutants,
  ...localAnswerMutants,
  ...rotationMutants,
  ...rememberedMutants,
  ...sessionMutants,
  ...readmeMutants,
  ...consoleMutants,
  ...consolePageMutants,
  ...consoleFormMutants,
];
