import { createRemoteRepository, getRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService({
  environment: { ALLOWED_PRIVATE_UPSTREAMS: ' 10.1.0.0/16, Nexus.corp.internal ,192.168.7.7,fd00:1::/32' },
});

let workspace: Named;
beforeAll(async () => {
  workspace = await service.world.workspace();
});

const create = async (remoteRepositoryUrl: unknown, packageType = 'npm') => {
  const { bearer } = await service.world.systemAdmin();
  const body = { name: uniqueName(), packageType, remoteRepositoryUrl, isRemoteCacheEnabled: true };
  return service.client.attempt(createRemoteRepository, { params: { workspace: workspace.id }, body, as: bearer });
};

const stored = async (repository: string) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.succeed(getRepository, { params: { workspace: workspace.id, repository }, as: bearer });
};

/** Creates with each URL and expects that every answer says the same about it. */
const refuseEach = async (urls: readonly unknown[], message: unknown) => {
  const answers = await Promise.all(urls.map((url) => create(url)));
  for (const [index, { problem, text }] of answers.entries())
    expect({ url: urls[index], text, violations: problem?.violations }).toEqual({
      url: urls[index],
      text,
      violations: [expect.objectContaining({ pointer: '/remoteRepositoryUrl', message })],
    });
  return answers;
};

const echoEach = async (urls: readonly string[], packageType = 'npm') => {
  const answers = await Promise.all(urls.map((each) => create(each, packageType)));
  expect(answers.map(({ result, text }) => result?.remoteRepositoryUrl ?? text)).toEqual(urls);
  for (const { result } of answers) expect(await stored(result?.id ?? '')).toEqual(result);
  return answers;
};

describe('remoteRepositoryUrl', () => {
  itAnswers('201 echoed byte for byte', async () =>
    echoEach([
      'https://Registry.NPMJS.org',
      'https://registry.npmjs.org:443/',
      'http://registry.npmjs.org:80/a/../b/./c//d/',
      'HTTPS://registry.npmjs.org/%7euser/{braces}/?q=a%20b&x={y}',
      'https://xn--bcher-kva.example/',
      'https://bücher.example/ä?ö',
      'https://8.8.8.8/',
      'https://[2606:4700:4700::1111]:8443/x',
      'https://example.com./',
      'https://corp.example/',
      'https://svc.example.com/',
      'https://168.63.129.17/',
      'https://[3ffe::1]/',
      `https://example.com/${'a'.repeat(2048 - 20)}`,
    ]),
  );

  itAnswers('201 for universal with the three placeholders in the path, in any order', async () =>
    echoEach(
      [
        'https://example.com/{package-name}/{version}/{file}',
        'https://example.com/{file}-{version}/x{package-name}?mirror=1',
        'https://EXAMPLE.com:443/{package-name}/{package-name}/{version}/{file}/',
      ],
      'universal',
    ),
  );

  itAnswers('400 REQUEST_INVALID for universal without each one of the placeholders', async () => {
    const whole = 'https://example.com/{package-name}/{version}/{file}';
    const placeholders = ['{package-name}', '{version}', '{file}'];
    const answers = [];
    for (const placeholder of placeholders)
      for (const other of ['', placeholder.toUpperCase(), placeholder.slice(0, -1), encodeURIComponent(placeholder)]) {
        const remoteRepositoryUrl = whole.replace(placeholder, other);
        const answer = await create(remoteRepositoryUrl, 'universal');
        expect(answer.problem?.errors).toEqual([
          `remoteRepositoryUrl of a universal repository must contain ${placeholder} in its path, and nowhere else.`,
        ]);
        answers.push(answer);
      }
    return answers;
  });

  itAnswers(
    '400 REQUEST_INVALID for universal with a placeholder in host, port, scheme, query or fragment',
    async () => {
      const urls = [
        'https://{version}.example.com/{package-name}/{file}',
        'https://{version}.example.com/{package-name}/{version}/{file}',
        'https://example.com:{version}/{package-name}/{file}',
        '{version}://example.com/{package-name}/{file}',
        'https://example.com/{package-name}/{file}?{version}=1',
        'https://example.com/{package-name}/{file}?v={version}',
        'https://example.com/{package-name}/{file}/{version}?v={version}',
        'https://example.com/{package-name}/{file}#{version}',
      ];
      const answers = await Promise.all(urls.map((remoteRepositoryUrl) => create(remoteRepositoryUrl, 'universal')));
      for (const { problem } of answers) expect(problem?.violations[0]?.pointer).toBe('/remoteRepositoryUrl');
      return answers;
    },
  );

  itAnswers('400 REQUEST_INVALID for what is no absolute http or https URL', async () =>
    refuseEach(
      [
        'registry.npmjs.org',
        '//registry.npmjs.org/',
        '/x',
        'ftp://example.com/',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'https:example.com',
        'https:/example.com',
        'https:///example.com',
        'https://?x',
      ],
      'remoteRepositoryUrl must be an absolute http or https URL, such as https://registry.npmjs.org/.',
    ),
  );

  itAnswers('400 REQUEST_INVALID for what is no string of at most 2048 characters', async () =>
    refuseEach(
      ['', null, 1, ['https://example.com/'], {}, `https://example.com/${'a'.repeat(2048 - 19)}`],
      'remoteRepositoryUrl must be an absolute http or https URL of at most 2048 characters.',
    ),
  );

  itAnswers('400 REQUEST_INVALID for a host or port that no URL has', async () =>
    refuseEach(
      [
        'https://exa^mple.com/',
        'https://example.com:99999/',
        'https://example.com:x/',
        'https://[::1/',
        'https://256.1.1.1/',
        'https://:80/',
        'https://%zz.com/',
        'https://example.com:0/',
        'http://127.0.0.1:00000/',
        'https://e..com/',
        'https://.example.com/',
        'https://example.com../',
        'http://localhost../',
        'http://127.0.0.1../',
        'http://./',
      ],
      'remoteRepositoryUrl must name a valid host and port.',
    ),
  );

  itAnswers('400 REQUEST_INVALID for user info', async () =>
    refuseEach(
      [
        'https://user@example.com/',
        'https://user:x@example.com/',
        'https://@example.com/',
        'https://:@example.com/',
        'https://example.com@8.8.8.8/',
      ],
      expect.stringMatching(/^remoteRepositoryUrl must not contain a user or password:/),
    ),
  );

  itAnswers('400 REQUEST_INVALID for a fragment, also an empty one', async () =>
    refuseEach(
      ['https://example.com/#', 'https://example.com/#x', 'https://example.com#x', 'https://example.com/?a#b'],
      expect.stringMatching(/^remoteRepositoryUrl must not contain a fragment:/),
    ),
  );

  itAnswers('400 REQUEST_INVALID for spaces, control characters and backslashes', async () =>
    refuseEach(
      [
        'https://example.com/a b',
        ' https://example.com/',
        'https://example.com/ ',
        'https://example.com/\n',
        'https://exa\tmple.com/',
        'https://example.com/\u0000',
        'https://example.com/\u007f',
        'https://example.com/\u0085',
        'https://example.com/\u00a0',
        'https://example.com/\u2028',
        'https://example.com/\u3000',
        'https:\\\\example.com\\',
        'https://example.com\\@8.8.8.8/',
      ],
      'remoteRepositoryUrl must not contain spaces, control characters or backslashes.',
    ),
  );
});

describe('Hosts that are not public', () => {
  const refused = {
    loopback: [
      'http://localhost/',
      'http://LOCALHOST:8080/',
      'http://localhost./',
      'http://x.localhost/',
      'http://127.0.0.1/',
      'http://127.1/',
      'http://127.0.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://017700000001/',
      'http://127.0.0.1./',
      'http://127.255.255.254/',
      'http://１２７.０.０.１/',
      'http://①②⑦.0.0.1/',
      'http://ｌｏｃａｌｈｏｓｔ/',
      'http://127。0。0。1/',
      'http://%31%32%37.0.0.1/',
      'http://[::1]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://[::127.0.0.1]/',
    ],
    'unspecified and broadcast': ['http://0/', 'http://0.0.0.0/', 'http://[::]/', 'http://255.255.255.255/'],
    'link-local and metadata': [
      'http://169.254.169.254/latest/meta-data/',
      'http://2852039166/',
      'http://0xa9fea9fe/',
      'http://0251.0376.0251.0376/',
      'http://169.254.1/',
      'http://169.254.170.2/',
      'http://[fe80::1]/',
      'http://[::ffff:169.254.169.254]/',
      'http://[fd00:ec2::254]/',
      'http://metadata.google.internal/',
      'http://METADATA.google.internal./',
      'http://metadata/',
      'http://instance-data.ec2.internal/',
      'http://metadata.goog/',
      'http://x.metadata.goog./',
      'http://100.100.100.200/',
      'http://168.63.129.16/',
      'http://0xa83f8110/',
      'http://[::ffff:168.63.129.16]/',
    ],
    private: [
      'http://10.0.0.1/',
      'http://10.2.0.0/',
      'http://167772161/',
      'http://172.16.0.1/',
      'http://172.31.255.255/',
      'http://192.168.0.1/',
      'http://192.168.7.8/',
      'http://0xc0a80001/',
      'http://[::ffff:10.0.0.1]/',
      'http://[fc00::1]/',
      'http://[fd12:3456::1]/',
      'http://[fd00:2::1]/',
      'http://nexus.corp/',
      'http://nas.home/',
      'http://NEXUS.private./',
      'http://nexus.test/',
      'http://nexus.invalid/',
      'http://kubernetes.default.svc/',
      'http://nexus.tools.svc:8081/',
      'http://kubernetes.default.svc.cluster.local/',
      'http://nexus.corp.internal.corp/',
      'http://[64:ff9b::10.0.0.1]/',
      'http://[2002:0a00:0001::]/',
      'http://100.64.0.1/',
      'http://198.18.0.1/',
      'http://nexus/',
      'http://nexus.local/',
      'http://nexus.corp.internal.other.internal/',
      'http://nas.home.arpa/',
      'http://router.lan/',
    ],
    'multicast and reserved': [
      'http://224.0.0.1/',
      'http://240.0.0.1/',
      'http://[ff02::1]/',
      'http://192.0.2.1/',
      'http://[2001:db8::1]/',
      'http://[3fff::1]/',
      'http://[3fff:fff:ffff::1]/',
    ],
  } as const;

  for (const [kind, urls] of Object.entries(refused))
    itAnswers(`400 REQUEST_INVALID for each spelling of a ${kind} host`, async () =>
      refuseEach(urls, expect.stringMatching(/^remoteRepositoryUrl must name a public host: '[^']+' is not one\./)),
    );

  itAnswers('201 for each entry of the allow list, in whatever spelling', async () =>
    echoEach([
      'http://10.1.0.1/',
      'http://10.1.255.255:8080/npm/',
      'http://0x0a010203/',
      'http://[::ffff:10.1.2.3]/',
      'http://nexus.corp.internal/',
      'http://NEXUS.corp.internal./',
      'http://192.168.7.7/',
      'http://[fd00:1::5]/',
      'http://[fd00:1:0:0:0:0:0:5]/',
    ]),
  );
});
