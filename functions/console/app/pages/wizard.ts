import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PackageType } from '../../../../shared/package-types.ts';
import type {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  deleteRepository,
} from '../../../repositories/contracts.ts';
import { change, part } from '../api.ts';
import { el, h } from '../elements.ts';
import { Form, field } from '../forms.ts';
import { firstType, publicUpstreamOf, typesWithClients } from '../lines.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';

/** How long what an upstream says of its packages counts as fresh, in milliseconds. */
const metadataMilliseconds = 300_000;

/** The repositories that the wizard makes, by their names. */
interface Plan {
  readonly packageType: PackageType;
  readonly name: string;
  readonly upstream: string;
}

/**
 * Makes a local, a remote and a virtual repository. What exists already is a refusal, which says so: what was made before it is removed
 * as far as possible, so that the form can be sent again.
 */
const createAll = async (workspace: string, { packageType, name, upstream }: Plan): Promise<void> => {
  const at = `/1/workspaces/${part(workspace)}/repositories` as const;
  const made: string[] = [];
  const noted = ({ id }: { readonly id: string }): string => {
    made.push(id);
    return id;
  };
  try {
    const local = noted(
      await change<typeof createLocalRepository>('POST', `${at}/local`, { name: `${name}-local`, packageType }),
    );
    const remote =
      upstream &&
      noted(
        await change<typeof createRemoteRepository>('POST', `${at}/remote`, {
          name: `${name}-remote`,
          packageType,
          remoteRepositoryUrl: upstream,
          isRemoteCacheEnabled: true,
          metadataCacheTimeTillRevalidation: metadataMilliseconds,
        }),
      );
    await change<typeof createVirtualRepository>('POST', `${at}/virtual`, {
      name,
      packageType,
      childRepositoryIds: [local, ...(remote ? [remote] : [])],
      uploadLocalRepositoryId: local,
    });
  } catch (error) {
    for (const id of made) await change<typeof deleteRepository>('DELETE', `${at}/${part(id)}`).catch(() => undefined);
    throw error;
  }
};

/** Makes the three repositories that most teams need, and leads to the lines for the clients. */
export const Wizard = ({ workspace, reload }: { readonly workspace: string; readonly reload: () => void }): VNode => {
  const [packageType, setType] = useState<PackageType>(firstType);
  const [name, setName] = useState<string>(firstType);
  const [upstream, setUpstream] = useState(publicUpstreamOf(firstType));
  const choose = (type: PackageType) => {
    setType(type);
    setName(type);
    setUpstream(publicUpstreamOf(type));
  };
  const run = async () => {
    await createAll(workspace, { packageType, name, upstream });
    reload();
    location.hash = addressOf(workspace, name);
  };
  const textOf = (event: Event): string => (event.target as HTMLInputElement).value;
  const options = typesWithClients.map((type) => el('option', { key: type, value: type }, type));
  return el(
    'section',
    { class: 'wizard' },
    el('h2', null, words.newRepository),
    h(
      Form,
      { label: words.create, run },
      el(
        'label',
        null,
        words.packageType,
        el('select', { value: packageType, onChange: (event: Event) => choose(textOf(event) as PackageType) }, options),
      ),
      field(words.name, { value: name, required: true, onInput: (event: Event) => setName(textOf(event)) }),
      field(words.upstream, { value: upstream, type: 'url', onInput: (event: Event) => setUpstream(textOf(event)) }),
      el('p', { class: 'hint' }, words.wizardPlan(`${name}-local`, upstream && `${name}-remote`, name)),
    ),
  );
};
