import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { Answer } from '../harness/client.ts';
import { zipOf } from '../harness/pypi.ts';
import type { Service } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';

/** A package of the tests. */
export interface TestPackage {
  readonly id: string;
  readonly version: string;
  readonly content?: string;
  /** Elements of its nuspec after those that each has. */
  readonly elements?: string;
  /** Further files, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The nuspec of a package, as `dotnet pack` writes it. */
export const nuspecOf = ({ id, version, elements = '' }: TestPackage): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><id>${id}</id><version>${version}</version><authors>Acme</authors><description>A package of a test</description>${elements}</metadata></package>`;

/** The parts that old clients read a package by, as a package of the Open Packaging Conventions (ISO/IEC 29500-2). */
const packaging = ({ id }: TestPackage) => ({
  '_rels/.rels': `<?xml version="1.0" encoding="utf-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/${id}.nuspec" Id="R1"/></Relationships>`,
  '[Content_Types].xml':
    '<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="nuspec" ContentType="application/octet"/><Default Extension="txt" ContentType="application/octet"/></Types>',
});

/** The file of a package: always the same bytes, and not compressed, so that a large content stays large. */
export const nupkgOf = (each: TestPackage): Buffer =>
  zipOf({
    ...packaging(each),
    [`${each.id}.nuspec`]: nuspecOf(each),
    'content/text.txt': `<content>${each.content ?? ''}</content>`,
    ...each.files,
  });

/** The package with the symbols of a package. */
export const symbolsOf = (each: TestPackage): Buffer =>
  nupkgOf({ ...each, elements: '<packageTypes><packageType name="SymbolsPackage"/></packageTypes>' });

/** The content in the bytes of a package, read as text. */
export const contentIn = (text: string): string | undefined =>
  /<content>(?<content>.*)<\/content>/s.exec(text)?.groups?.content;

/** The body of a push, as NuGet.Protocol sends it: one part, whose names have no quotes. */
export const pushForm = (file: Uint8Array, field = 'package') => {
  const boundary = 'e7b0852b-99f8-472c-ad35-fc95ba8a8ebb';
  return {
    content: Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Disposition: form-data; name=${field}; filename=package.nupkg; filename*=utf-8''package.nupkg\r\n\r\n`,
      ),
      file,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
    mediaType: `multipart/form-data; boundary="${boundary}"`,
  };
};

/** A request below the address of a repository; what it leaves out is a plain request of a system admin. */
export interface FeedRequest {
  readonly method?: string;
  /** Set for the address of the repository without a slash. */
  readonly isBare?: true;
  /** Another repository than that of the test. */
  readonly repository?: Named;
  /** The value of the Authorization header. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A workspace with a repository of a type whose packages have this form, and the requests that clients send to it. */
export const usePackageFeed = (service: Service, packageType: PackageType) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, packageType);
    Object.assign(setting, { workspace, admin, repository });
  });
  const pathOf = (path: string, { name } = setting.repository): string =>
    `/${packageType}/${setting.workspace.name}/${name}/${path}`;
  const send = async (contract: Contract, path: string, request: FeedRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository, as = setting.admin.bearer, headers = {}, body, isBare } = request;
    return service.client.sendTo(contract, {
      method,
      path: isBare ? pathOf(path, repository).replace(/\/$/, '') : pathOf(path, repository),
      headers: Object.entries({ Authorization: as, ...headers }),
      ...(body && { body }),
    });
  };
  return {
    setting,
    send,
    /** The URL of a path, as documents have it. */
    urlOf: (path: string, repository?: Named): string => service.runner.url + pathOf(path, repository),
    /** Sends bytes as a form to a path. */
    push: async (contract: Contract, path: string, file: Uint8Array, request: FeedRequest = {}): Promise<Answer> => {
      const { content, mediaType } = pushForm(file);
      return send(contract, path, {
        ...request,
        headers: { 'Content-Type': mediaType, ...request.headers },
        body: content,
      });
    },
  };
};
