import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveFile } from '../../shared/store/received-file.ts';
import { publishPypiFile } from './contracts.ts';
import { pypi } from './type.ts';
import { checkFields, provenanceIn, readContent, refuseOtherActions, refuseSignature } from './upload-form.ts';
import { type AttachedDistribution, versionContent } from './version-content.ts';

/** Reads the form of twine or uv. */
const readForm = async ({ body, caller, table }: Call<typeof publishPypiFile>): Promise<AttachedDistribution> => {
  const { fields, files } = await body.read(async ({ field, fileName, stream }) => ({
    field,
    name: fileName,
    received: await receiveFile(stream, table.signal),
  }));
  refuseOtherActions(fields);
  const [content, ...others] = files.filter(({ field }) => field === 'content');
  const [signed, ...signatures] = files.filter(({ field }) => field === 'gpg_signature');
  if (!content || others.length + signatures.length > 0)
    throw malformed('The form must have one file in the field content, and at most one in gpg_signature.');
  const distribution = await readContent(fields, content);
  await checkFields(fields, distribution);
  const signature = signed && (await signed.received.bytes());
  if (signature) refuseSignature(signature);
  const provenance = provenanceIn(fields, caller.actor.name);
  return { ...distribution, ...(signature && { signature }), ...(provenance && { provenance }) };
};

export const handler = endpoint(
  publishPypiFile,
  async (call) => {
    const target = publishTarget(call, pypi);
    const sent = await refusingAsync(async () => readForm(call));
    await publishTo(call, pypi, target, versionContent(sent));
    const { displayName, version, file, received } = sent;
    return { name: displayName, version, file, sizeInBytes: received.size, sha256: received.hashes.sha256 };
  },
  { alsoRead: alsoReadSources },
);
