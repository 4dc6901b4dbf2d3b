import { getCargoConfig, publishCrate } from '../../functions/cargo/contracts.ts';
import { getChocolateyDocument, publishChocolateyPackage } from '../../functions/chocolatey/contracts.ts';
import { getComposerDocument, publishComposerPackage } from '../../functions/composer/contracts.ts';
import { getConanDocument, publishConanFile } from '../../functions/conan/contracts.ts';
import { getDebianDocument, publishDebianPackage } from '../../functions/debian/contracts.ts';
import { getImageContent, publishImageContent } from '../../functions/docker/contracts.ts';
import { getGemsDocument, publishGem } from '../../functions/gems/contracts.ts';
import { getGoFile, publishGoModule } from '../../functions/go/contracts.ts';
import { getHelmDocument, publishChart } from '../../functions/helm/contracts.ts';
import { getMavenFile, publishMavenFile } from '../../functions/maven/contracts.ts';
import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import { getNugetDocument, publishNugetPackage } from '../../functions/nuget/contracts.ts';
import { getPypiDocument, publishPypiFile } from '../../functions/pypi/contracts.ts';
import { getRpmDocument, publishRpmPackage } from '../../functions/rpm/contracts.ts';
import { getUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

const service = useService();

/** What a client of each type reads, and the beginning of its addresses. */
const reads: readonly (readonly [type: PackageType, root: string, contract: Contract, path: string])[] = [
  ['cargo', '/cargo/', getCargoConfig, 'config.json'],
  ['chocolatey', '/chocolatey/', getChocolateyDocument, "FindPackagesById()?id='a'"],
  ['composer', '/composer/', getComposerDocument, 'packages.json'],
  ['conan', '/conan/', getConanDocument, 'v2/conans/acme/1.0/_/_/latest'],
  ['docker', '/v2/', getImageContent, 'app/tags/list'],
  ['gems', '/gems/', getGemsDocument, 'versions'],
  ['go', '/go/', getGoFile, 'corp.example/x/@v/list'],
  ['helm', '/helm/', getHelmDocument, 'index.yaml'],
  ['maven', '/maven/', getMavenFile, 'org/acme/app/maven-metadata.xml'],
  ['npm', '/npm/', getNpmDocument, 'tool'],
  ['nuget', '/nuget/', getNugetDocument, 'v3/index.json'],
  ['pypi', '/pypi/', getPypiDocument, 'simple/'],
  ['debian', '/debian/', getDebianDocument, 'dists/stable/InRelease'],
  ['rpm', '/rpm/', getRpmDocument, 'repodata/repomd.xml'],
  ['universal', '/universal/', getUniversalFile, 'tool/1.0/file'],
];

/** How a client of each type publishes; the bodies are refused for other reasons where the type is right. */
const json = 'application/json';
const form = 'multipart/form-data; boundary=b';
const writes: Readonly<Record<string, readonly [contract: Contract, path: string, mediaType: string]>> = {
  cargo: [publishCrate, 'api/v1/crates/new', 'application/octet-stream'],
  chocolatey: [publishChocolateyPackage, '', form],
  composer: [publishComposerPackage, '', 'application/zip'],
  conan: [publishConanFile, 'v2/conans/acme/1.0/_/_/revisions/1/files/conanfile.py', 'application/octet-stream'],
  docker: [publishImageContent, 'app/manifests/1.0', 'application/vnd.oci.image.manifest.v1+json'],
  gems: [publishGem, 'api/v1/gems', 'application/octet-stream'],
  go: [publishGoModule, 'corp.example/x/@v/v1.0.0.zip', 'application/zip'],
  helm: [publishChart, 'api/charts', form],
  maven: [publishMavenFile, 'org/acme/app/1.0/app-1.0.jar', 'application/java-archive'],
  npm: [publishNpmPackage, 'tool', json],
  nuget: [publishNugetPackage, 'v3/package', form],
  pypi: [publishPypiFile, '', form],
  debian: [publishDebianPackage, 'pool/stable/main/upload', 'application/octet-stream'],
  rpm: [publishRpmPackage, 'tool-1.0-1.noarch.rpm', 'application/octet-stream'],
  universal: [publishUniversalFile, 'tool/1.0/file', 'application/octet-stream'],
};

/** The smallest body that its media type allows. */
const bodies: Readonly<Record<string, string>> = {
  [json]: '{}',
  [form]: '--b\r\nContent-Disposition: form-data; name=":action"\r\n\r\nfile_upload\r\n--b--\r\n',
};

let workspace: Named;
let stranger: Actor;
let viewer: Actor;
let deployer: Actor;
beforeAll(async () => {
  workspace = await service.world.workspace();
  [stranger, viewer, deployer] = await Promise.all([
    service.world.member(workspace),
    service.world.member(workspace),
    service.world.member(workspace),
  ]);
});

const ask = async (root: string, contract: Contract, path: string, repository: string, as: Actor) =>
  service.client.sendTo(contract, {
    path: `${root}${workspace.name}/${repository}/${path}`,
    headers: [['Authorization', as.bearer]],
  });

/** A repository of the next type, which the viewer may see. */
const ofNext = async (type: PackageType) => {
  const at = reads.findIndex(([each]) => each === type);
  const [other, root] = reads[(at + 1) % reads.length] ?? [];
  if (!other || root === undefined) throw new Error('There is no other type.');
  const repository = await service.world.repository(workspace, undefined, other);
  await service.world.grant(workspace, repository, viewer, 'canView');
  await service.world.grant(workspace, repository, deployer, 'canDeploy');
  return { other, root, repository };
};

describe.each(reads)('An address of the type %s', (type, root, contract, path) => {
  itAnswers(
    '404 REPOSITORY_NOT_FOUND with the right address, for a repository of another type that the caller may see',
    async () => {
      const { other, root: right, repository } = await ofNext(type);
      const answer = await ask(root, contract, path, repository.name, viewer);
      expect(answer.problem?.detail).toBe(
        `'${repository.name}' is a repository of the type ${other}: its addresses begin with ${right}, not with ${root}.`,
      );
      return answer;
    },
  );

  itAnswers(
    '404 REPOSITORY_NOT_FOUND with the right address, for a publish to a repository of another type',
    async () => {
      const { other, root: right, repository } = await ofNext(type);
      const [write, below, mediaType] = writes[type] ?? [contract, path, json];
      const answer = await service.client.sendTo(write, {
        method: write.method,
        path: `${root}${workspace.name}/${repository.name}/${below}`.replace(/\/$/, ''),
        headers: [
          ['Authorization', deployer.bearer],
          ['Content-Type', mediaType],
        ],
        body: bodies[mediaType] ?? 'bytes',
      });
      expect(answer.problem?.detail).toBe(
        `'${repository.name}' is a repository of the type ${other}: its addresses begin with ${right}, not with ${root}.`,
      );
      return answer;
    },
  );

  itAnswers('404 REPOSITORY_NOT_FOUND as for none, for one that the caller may not see', async () => {
    const { repository } = await ofNext(type);
    const answers = [
      await ask(root, contract, path, repository.name, stranger),
      await ask(root, contract, path, uniqueName('none'), stranger),
    ];
    const [one, other] = answers.map(({ text, problem }) => text.replaceAll(problem?.requestId ?? '', ''));
    expect(one).toBe(other);
    return answers;
  });
});
