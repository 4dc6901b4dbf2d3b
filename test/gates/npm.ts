import { getDistTags, getNpmDocument } from '../../functions/npm/contracts.ts';
import { abbreviatedType, packumentOf, upstreamTarballOf } from '../harness/npm.ts';
import { type GatedType, type GateWorld, json, sent, timeAgo, timeOf } from './gated-type.ts';

const short = { Accept: abbreviatedType };

/** The release gate of remote repositories of npm. */
export const npmGate = ({ upstream, ask }: GateWorld): GatedType => {
  const npm: GatedType = {
    type: 'npm',
    file: getNpmDocument,
    answer: (name, ages) => (request, response) => {
      const isFull = !request.headers.accept?.includes(abbreviatedType);
      const versions = Object.fromEntries(Object.keys(ages).map((version) => [version, {}]));
      const time = Object.fromEntries(Object.entries(ages).map(([version, hours]) => [version, timeOf(hours)]));
      const modified = timeAgo(0);
      const packument = {
        ...packumentOf(upstream.url, name, versions, isFull),
        ...(isFull ? { time: { ...time, modified } } : { modified }),
      };
      const tarballs = Object.keys(ages).map((version) => [
        `/${name}/-/${name}-${version}.tgz`,
        upstreamTarballOf(name, version),
      ]);
      sent({ [`/${name}`]: JSON.stringify(packument), ...Object.fromEntries(tarballs) })(request, response);
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getNpmDocument, 'npm', repository, name, headers),
      await ask(getNpmDocument, 'npm', repository, name, { ...short, ...headers }),
    ],
    listed: async (repository, name) => {
      const documents = await npm.documents(repository, name);
      const forWriting = await ask(getNpmDocument, 'npm', repository, `${name}?write=true`);
      const tags = await ask(getDistTags, 'npm', repository, `-/package/${name}/dist-tags`);
      const lists = [...documents, forWriting].map(
        (each) => json(each) as { versions: object; time?: object; 'dist-tags': Record<string, string> },
      );
      for (const { versions, time = {}, 'dist-tags': tagged } of lists) {
        expect(Object.keys(versions)).toEqual(expect.arrayContaining([...new Set(Object.values(tagged))]));
        expect(Object.keys(time).filter((key) => /^\d/.test(key) && !(key in versions))).toEqual([]);
        expect(Object.keys(versions)).toEqual(
          expect.arrayContaining(Object.values(json(tags) as Record<string, string>)),
        );
      }
      return lists.map(({ versions }) => Object.keys(versions));
    },
    files: (name, version) => [`${name}/-/${name}-${version}.tgz`, `${name}/${version}`],
    kept: (name) => ['full', 'abbreviated'].map((form) => ({ name, document: `packument ${form}` })),
  };
  return npm;
};
