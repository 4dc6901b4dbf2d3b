import type { VNode } from 'preact';
import type { getWorkspaceUsage } from '../../../packages/contracts.ts';
import { get, part } from '../api.ts';
import { h, loadedView, table, useLoaded } from '../elements.ts';
import { countText, sizeText } from '../texts.ts';
import { words } from '../words.ts';
import { Course } from './course.ts';
import { administers } from './home.ts';
import { frame, mayBeThere, type WorkspaceProps } from './workspace.ts';

/** What a workspace stores. */
export const Usage = ({ me, workspace }: WorkspaceProps): VNode => {
  const loaded = useLoaded(() => get<typeof getWorkspaceUsage>(`/1/workspaces/${part(workspace)}/usage`), [workspace]);
  return frame(
    { me, workspace, here: ':usage' },
    loadedView(loaded, ({ packages, files, bytes, metadataBytes, openUploadBytes }) =>
      table(
        words.usage,
        [words.what, words.amount],
        [
          [words.packages, countText(packages)],
          [words.files, countText(files)],
          [words.bytesOfFiles, sizeText(bytes)],
          [words.bytesOfMetadata, sizeText(metadataBytes)],
          [words.bytesOfUploads, sizeText(openUploadBytes)],
        ],
      ),
    ),
    mayBeThere(loaded.error) && administers(me, workspace) && h(Course, { workspace }),
  );
};
