import { endpoints } from '../../functions/endpoints.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Service } from '../harness/service.ts';

/** A part of a form: what its `Content-Disposition` says behind `form-data; `, and its content. */
export type Part = readonly [disposition: string, content: string];

/** A form of parts with the boundary `b`, as short as it can be. */
export const formOf = (...parts: readonly Part[]): string =>
  [
    ...parts.map(([disposition, content]) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}`),
    '--b--\r\n',
  ].join('\r\n');

export const formType = 'multipart/form-data; boundary=b';

export const field: Part = ['name="field"', 'of a client'];

/** The disposition of a part that nobody reads. */
export const ignored = 'name="none"; filename="x"';

/** Of each endpoint that takes a form: the type of its repository, and the disposition of its file. */
export const forms = {
  'packages/publish-package': ['universal', 'name="packageFiles"; filename="a"'],
  'pypi/publish-pypi-file': ['pypi', 'name="content"; filename="a-1.0.tar.gz"'],
  'helm/publish-chart': ['helm', 'name="chart"; filename="a"'],
  'helm/publish-provenance': ['helm', 'name="prov"; filename="a"'],
  'chocolatey/publish-chocolatey-package': ['chocolatey', 'name="package"; filename="a"'],
  'chocolatey/add-chocolatey-package': ['chocolatey', 'name="package"; filename="a"'],
  'nuget/publish-nuget-package': ['nuget', 'name="package"; filename="a"'],
  'nuget/publish-nuget-symbols': ['nuget', 'name="package"; filename="a"'],
} as const;

/** The endpoints that take a form. */
export const takingForms: readonly Contract[] = endpoints.filter(
  ({ request }: Contract) => request?.kind === 'form' || request?.kind === 'multipart',
);

/** What `forms` says of an endpoint. Throws if it is none of them. */
export const formFor = ({ id }: Contract): (typeof forms)[keyof typeof forms] => {
  const found = Object.entries(forms).find(([each]) => each === id);
  if (!found) throw new Error(`${id} takes no form that is known.`);
  return found[1];
};

/** The lines of errors in the log since it had so many lines. */
export const errorsSince = ({ logs }: Pick<Service, 'logs'>, begin: number): readonly string[] =>
  logs.slice(begin).filter((line) => line.includes('"level":"ERROR"'));
