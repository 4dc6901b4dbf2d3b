import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PackageType } from '../../../../shared/package-types.ts';
import type {
  createLocalRepository,
  createRemoteRepository,
  createVirtualRepository,
  deleteRepository,
} from '../../../repositories/contracts.ts';
import { change, create, isPassing, part, ShownRefusal } from '../api.ts';
import { el, h } from '../elements.ts';
import { Form, field } from '../forms.ts';
import { firstType, publicUpstreamOf, typesWithClients } from '../lines.ts';
import { addressOf } from '../routes.ts';
import { words } from '../words.ts';

/** How long what an upstream says of its packages counts as fresh, in milliseconds. */
const metadataMilliseconds = 300_000;

/** How long the name of a repository may be. */
const nameLengthMax = 30;

/** The repositories that the wizard makes, by their names. */
interface Plan {
  readonly packageType: PackageType;
  readonly name: string;
  readonly upstream: string;
}

/**
 * Makes a local, a remote and a virtual repository, which are the same ones when it is repeated with the same attempt after a lost answer.
 * What exists already is a refusal, which says so: what was made before it is removed as far as possible, so that the form can be sent
 * again.
 */
const createAll = async (workspace: string, { packageType, name, upstream }: Plan, attempt: string): Promise<void> => {
  const at = `/1/workspaces/${part(workspace)}/repositories` as const;
  const made: string[] = [];
  const noted = ({ id }: { readonly id: string }): string => {
    made.push(id);
    return id;
  };
  try {
    const local = noted(
      await create<typeof createLocalRepository>(
        `${at}/local`,
        { name: `${name}-local`, packageType },
        `${attempt}-local`,
      ),
    );
    const remote =
      upstream &&
      noted(
        await create<typeof createRemoteRepository>(
          `${at}/remote`,
          {
            name: `${name}-remote`,
            packageType,
            remoteRepositoryUrl: upstream,
            isRemoteCacheEnabled: true,
            metadataCacheTimeTillRevalidation: metadataMilliseconds,
          },
          `${attempt}-remote`,
        ),
      );
    await create<typeof createVirtualRepository>(
      `${at}/virtual`,
      {
        name,
        packageType,
        childRepositoryIds: [local, ...(remote ? [remote] : [])],
        uploadLocalRepositoryId: local,
      },
      `${attempt}-virtual`,
    );
  } catch (error) {
    // Without an answer, nobody knows what was made: the next try finds it by its key.
    if (isPassing(error)) throw error;
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
  // A plan that was not refused is tried again with the same keys.
  const tried = useRef({ plan: '', attempt: '' });
  const run = async () => {
    const longest = `${name}-${upstream ? 'remote' : 'local'}`;
    if (longest.length > nameLengthMax)
      throw new ShownRefusal(words.nameTooLong(longest, nameLengthMax + name.length - longest.length));
    const plan = { packageType, name, upstream };
    const text = JSON.stringify(plan);
    if (tried.current.plan !== text) tried.current = { plan: text, attempt: crypto.randomUUID() };
    await createAll(workspace, plan, tried.current.attempt).catch((error: unknown) => {
      if (!isPassing(error)) tried.current = { plan: '', attempt: '' };
      throw error;
    });
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
