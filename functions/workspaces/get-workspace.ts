import { endpoint } from '../../shared/http/endpoint.ts';
import { getWorkspace } from './contracts.ts';
import { alsoReadFigures, figuresOf } from './figures.ts';
import { workspaceRecord } from './record.ts';

export const handler = endpoint(
  getWorkspace,
  async ({ workspace, loaded }) => workspaceRecord(workspace, figuresOf(workspace, loaded)),
  { alsoRead: alsoReadFigures },
);
