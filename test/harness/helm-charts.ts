import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** A chart of the tests. */
export interface TestChart {
  readonly name: string;
  readonly version: string;
  /** The text in its template. */
  readonly content?: string;
  /** Lines of its Chart.yaml after the name and the version. */
  readonly lines?: string;
}

/** The Chart.yaml of a chart. */
export const chartYamlOf = ({ name, version, lines = '' }: TestChart): string =>
  `apiVersion: v2\nname: ${name}\nversion: ${version}\n${lines}`;

/** A gzipped tar archive of some files: always the same bytes, and not compressed, so that a large file stays large. */
export const archiveOf = async (files: Readonly<Record<string, string>>): Promise<Buffer> => {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mtime: new Date(0) }, content);
  archive.finalize();
  return gzipSync(await buffer(archive), { level: 0 });
};

/** The file that `helm package` makes of a chart. It renders one ConfigMap with the content. */
export const chartOf = async (chart: TestChart): Promise<Buffer> => {
  const data = `  content: |\n    <content>${chart.content ?? ''}</content>\n`;
  const template = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: content\ndata:\n${data}`;
  return archiveOf({
    [`${chart.name}/Chart.yaml`]: chartYamlOf(chart),
    [`${chart.name}/templates/content.yaml`]: template,
  });
};

/** The content in the bytes of a chart, or in what helm renders of it. */
export const contentIn = (text: string): string | undefined =>
  /<content>(?<content>.*)<\/content>/s.exec(text)?.groups?.content;

/** A form with files, as clients of ChartMuseum send it. */
export const chartForm = (files: Readonly<Record<string, Uint8Array | string>>) => {
  const boundary = 'the-boundary';
  const parts = Object.entries(files).flatMap(([field, content]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="/tmp/${field}.tgz"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    content: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    mediaType: `multipart/form-data; boundary=${boundary}`,
  };
};

/** A provenance file as helm makes it, without a valid signature. */
export const provenanceOf = (chart: TestChart, file: Uint8Array): string => {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return [
    '-----BEGIN PGP SIGNED MESSAGE-----',
    'Hash: SHA512',
    '',
    chartYamlOf(chart),
    '...',
    'files:',
    `  ${chart.name}-${chart.version}.tgz: sha256:${sha256}`,
    '-----BEGIN PGP SIGNATURE-----',
    '',
    'wsBcBAEBCgAQ',
    '=YgnR',
    '-----END PGP SIGNATURE-----',
  ].join('\n');
};
