import { readEntry } from '../../functions/advisories/osv-entry.ts';
import { bytes, itReadsInLinearTime, many } from '../harness/growth.ts';

jest.setTimeout(240_000);

const npm = {
  name: 'npm',
  ecosystem: 'npm',
  spelling: { normalize: (name: string) => name, isName: (name: string) => name.length < 200 },
} as const;

const start = '{"id":"MAL-1","modified":"now","affected":[{"package":{"ecosystem":"npm","name":"a"}';

describe('The time to read what osv.dev writes grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'an entry': bytes(
      (content) => readEntry(content, 'MAL-1.json', npm),
      many('"1.0",', `${start},"versions":[`, '"1"]}]}'),
      many('{"introduced":"0"},', `${start},"ranges":[{"type":"SEMVER","events":[`, '{"fixed":"1"}]}]}]}'),
      many('{"type":"SEMVER","events":[{"introduced":"0"}]},', `${start},"ranges":[`, '{}]}]}'),
      many('{"package":{"ecosystem":"npm","name":"a"}},', `${start}},`, '{}]}'),
      many('/AV:N', `${start}}],"severity":[{"score":"CVSS:3.1`, '"}]}'),
    ),
  });
});
