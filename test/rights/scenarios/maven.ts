import { getMavenFile, publishMavenFile } from '../../../functions/maven/contracts.ts';
import { publishUntilDue } from '../../harness/packages.ts';
import { typedRepository } from '../../harness/repositories.ts';
import { refusing } from '../../harness/upstream.ts';
import { placeIn, type RightsScenario } from './scenario.ts';

export const mavenScenario: RightsScenario = {
  manyVersions: async (fixture) => {
    const repository = await typedRepository(fixture, 'maven');
    await publishUntilDue(fixture.workspace, repository, 'org.acme:many');
    const params = { ...placeIn(fixture, repository), path: 'org/acme/many/2.0/many-2.0.jar' };
    return [[publishMavenFile, { params, bytes: { content: 'x', mediaType: 'application/octet-stream' } }]];
  },
  fetching: {
    contract: getMavenFile,
    beginning: Buffer.from('PK'),
    paramsOf: (file) => ({ path: `org/acme/tool/1.0/tool-1.0-${file}.jar` }),
    answering: (file) => (request, response) =>
      (request.url?.endsWith('.sha1') ? refusing(404) : file)(request, response),
  },
};
