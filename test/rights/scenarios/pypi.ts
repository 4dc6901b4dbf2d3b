import { getPypiDocument, getPypiProject, publishPypiFile } from '../../../functions/pypi/contracts.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { uploadForm, wheelName, wheelOf } from '../../harness/pypi.ts';
import { createRemote, typedRepository } from '../../harness/repositories.ts';
import { serving, trickling } from '../../harness/upstream.ts';
import { newPassword, uniqueName } from '../../harness/world.ts';
import { fileWords, placeIn, type RightsScenario, slowMilliseconds, untilRedirected } from './scenario.ts';

const manyVersions: RightsScenario['manyVersions'] = async (fixture) => {
  const repository = await typedRepository(fixture, 'pypi');
  const each = { name: uniqueName(), version: '2.0' };
  await publishUntilDue(fixture.workspace, repository, each.name, () => ['{"filename":"file.zip"}']);
  const params = placeIn(fixture, repository);
  return [
    [publishPypiFile, { params, bytes: uploadForm(wheelName(each), wheelOf(each), each) }],
    [getPypiDocument, { params: { ...params, path: `simple/${each.name}/` } }],
    [getPypiProject, { params: { ...params, path: `${each.name}/json` } }],
  ];
};

/** Metadata of a project that take longer than a request, and are too large for an answer. */
const slowRead: RightsScenario['slowRead'] = async (setting) => {
  const { service, fixture, upstream } = setting;
  const files = Array.from({ length: 46 }, (_, patch) => ({
    filename: wheelName({ name: 'slow', version: `1.0.${patch}` }),
    url: `../${patch}`,
    hashes: { sha256: 'a'.repeat(64) },
    'requires-python': 'x'.repeat(100_000),
  }));
  const page = JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'slow', files });
  upstream.answer = trickling(slowMilliseconds, (response) => void response.end(page), ' ');
  const remote = await createRemote(service, fixture.workspace, {
    packageType: 'pypi',
    remoteRepositoryUrl: upstream.url,
    remoteRepositoryPassword: newPassword(),
  });
  const params = { ...placeIn(fixture, remote), path: 'slow/json' };
  await untilRedirected(setting, getPypiProject, { params, as: fixture.systemAdmin.bearer });
};

export const pypiScenario: RightsScenario = {
  manyVersions,
  fetching: {
    contract: getPypiDocument,
    beginning: Buffer.from('PK'),
    paramsOf: (file) => ({ path: `files/tool/unknown/${file}.zip` }),
    answering: (file) => (request, response) => {
      const links = fileWords.map((end) => `<a href="/${end}.zip">${end}.zip</a>`);
      const isPage = request.url?.startsWith('/simple/') ?? false;
      (isPage ? serving(['<h1>Links for tool</h1>', ...links].join('')) : file)(request, response);
    },
  },
  slowRead,
};
