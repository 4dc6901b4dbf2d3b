import type { Sandbox } from '../../clients/drivers/sandbox.ts';
import type { Client, Source } from '../client.ts';
import { filesIn } from './packages.ts';

/** A web service with jobs, a database and notebooks: about 145 packages. */
const requirements = [
  'alembic==1.20.1',
  'black==26.10.1',
  'boto3==1.44.5',
  'celery==5.7.0',
  'django==5.2.19',
  'djangorestframework==3.18.3',
  'fastapi==0.165.0',
  'jupyterlab==4.6.6',
  'matplotlib==3.11.2',
  'mypy==2.4.1',
  'pandas==3.1.1',
  'pytest==9.2.0',
  'requests==2.34.2',
  'scikit-learn==1.9.1',
  'sqlalchemy==2.1.9',
];

/** What all clients of the Python Package Index have in common. */
export const ofPypi = {
  packageType: 'pypi',
  registry: 'https://pypi.org',
  path: '/simple/',
  hosts: ['pypi.org', 'files.pythonhosted.org'],
  peer: 'proxpi',
  packagesIn: ({ project }) => filesIn(project, 'installed/*.dist-info'),
} as const satisfies Partial<Client>;

/** Writes what to install. */
export const writeRequirements = (sandbox: Sandbox): void =>
  sandbox.write({ 'project/requirements.txt': `${requirements.join('\n')}\n` });

/** What all installers are asked: into a folder, and without the scripts that build a package from its sources. */
export const parameters = ['--target', 'installed', '--only-binary', ':all:', '-r', 'requirements.txt'];

/** The address of the index, with the credential in it. */
export const indexUrl = ({ url, token }: Source): string => {
  const index = new URL(url);
  if (token !== undefined) Object.assign(index, { username: 'token', password: token });
  return index.href;
};
