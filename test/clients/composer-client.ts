import { useService } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { composer, runComposer, sendZip, writeComposerSettings } from './drivers/composer.ts';
import type { Ran, Registry } from './drivers/driver.ts';

/** What Composer alone does, beside the cases for every client. */
jest.setTimeout(900_000);

const service = useService();
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();

const registryOf = ({ name }: Named): Registry => ({
  url: `${service.runner.url}/composer/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const succeeded = ({ isFailed, output }: Ran): string => {
  if (isFailed) throw new Error(`The client failed:\n${output}`);
  return output;
};

describeUnlessLeftOut('composer')('composer archive', () => {
  beforeAll(async () => composer.prepare());

  it('makes a package that is published, installed, and archived again from here', async () => {
    const registry = registryOf(await granted(await service.world.repository(team.workspace, undefined, 'composer')));
    const name = `acme/${uniqueName('archived')}`;
    const author = sandbox();
    author.write({
      'project/composer.json': JSON.stringify({ name, version: '1.0.0', description: 'Archived', type: 'library' }),
      'project/src/content.php': '<?php /*the content*/',
    });
    succeeded(await runComposer(author, 'archive', '--format=zip', '--file=app'));
    succeeded(await sendZip(author, registry));
    const user = sandbox();
    succeeded(await composer.install(user, registry, { name }));
    expect(composer.contentOf(user, name)).toBe('the content');
    const other = sandbox();
    writeComposerSettings(other, registry, {});
    succeeded(await runComposer(other, 'archive', name, '1.0.0', '--format=zip', '--file=again'));
    expect(other.readBytes('again.zip').subarray(0, 2).toString()).toBe('PK');
  });
});
