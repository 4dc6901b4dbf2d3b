import { endpoints } from '../../functions/endpoints.ts';
import { isOpen } from '../../shared/http/contract.ts';
import { settingsOf, synthesiseVariant } from './templates.ts';

jest.setTimeout(120_000);

const open = endpoints.filter(isOpen);
// Those of packages need the rights that the stack acknowledges.
const some = endpoints.filter((each) => isOpen(each) || each.id.startsWith('universal/'));

/** Behind CloudFront, the firewall counts by the address that CloudFront names. */
const edge = {
  uploads: 'web-function',
  domain: {
    name: 'stockroom.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/abc',
    hostedZone: { id: 'Z0123456789', name: 'example.com' },
  },
  door: {
    ...settingsOf('prod').door,
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/abc',
  },
} as const;

const variants = {
  plain: synthesiseVariant({ stage: 'prod', endpoints: some }).resources,
  edge: synthesiseVariant({ stage: 'prod', endpoints: some, change: edge }).resources,
};
type Variant = keyof typeof variants;
const allVariants = Object.keys(variants) as Variant[];

const propertiesOf = (type: string, variant: Variant): Readonly<Record<string, unknown>> =>
  variants[variant].find(({ Type }) => Type === type)?.Properties ?? {};

interface RateRule {
  readonly Statement: {
    readonly RateBasedStatement?: {
      readonly AggregateKeyType: string;
      readonly CustomKeys?: readonly { readonly Header?: { readonly Name: string } }[];
      readonly Limit: number;
      readonly EvaluationWindowSec: number;
      readonly ScopeDownStatement?: {
        readonly RegexMatchStatement?: {
          readonly RegexString: string;
          readonly TextTransformations: readonly { readonly Type: string }[];
        };
      };
    };
  };
}

type Rate = NonNullable<RateRule['Statement']['RateBasedStatement']>;

/** Whether a rule counts each address by itself: that of the sender, or the one that CloudFront names. */
const isPerAddress = ({ AggregateKeyType, CustomKeys = [] }: Rate, variant: Variant): boolean =>
  variant === 'plain'
    ? AggregateKeyType === 'IP'
    : AggregateKeyType === 'CUSTOM_KEYS' &&
      CustomKeys.length === 1 &&
      CustomKeys[0]?.Header?.Name === 'x-stockroom-viewer';

/** Whether a rule counts a request for a path, which it sees as it was sent or decoded. */
const isCounted = ({ ScopeDownStatement: scope }: Rate, path: string): boolean => {
  if (!scope) return true;
  const { RegexString, TextTransformations } = scope.RegexMatchStatement ?? {};
  if (RegexString === undefined) return false;
  const isDecoded = TextTransformations?.some(({ Type }) => Type === 'URL_DECODE') ?? false;
  return new RegExp(RegexString).test(isDecoded ? decodeURIComponent(path) : path);
};

/** How many requests for a path one address may send in a window of so many seconds. */
const boundOf = (path: string, variant: Variant): { readonly limit: number; readonly seconds: number } => {
  const { Rules } = propertiesOf('AWS::WAFv2::WebACL', variant) as { Rules: readonly RateRule[] };
  const bounds = Rules.flatMap(({ Statement: { RateBasedStatement: rate } }) =>
    rate && isPerAddress(rate, variant) && isCounted(rate, path)
      ? [{ limit: rate.Limit, seconds: rate.EvaluationWindowSec }]
      : [],
  );
  return bounds.toSorted((one, other) => one.limit - other.limit)[0] ?? { limit: Infinity, seconds: 300 };
};

/** The path of an endpoint with something in each parameter, and as it is with all its letters percent-encoded. */
const pathOf = (path: string): string => path.replaceAll(/\{[^}]+\}/g, 'x');
const encodedOf = (path: string): string =>
  pathOf(path).replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

interface MethodSetting {
  readonly ResourcePath: string;
  readonly HttpMethod: string;
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** What API Gateway passes on of a route, from all addresses together. */
const throttleOf = (method: string, path: string, variant: Variant): MethodSetting => {
  const { MethodSettings } = propertiesOf('AWS::ApiGateway::Stage', variant) as {
    MethodSettings: readonly MethodSetting[];
  };
  // The root is a slash alone, and stands as it is.
  const resource = path === '/*' || path === '/' ? path : `/${path.replaceAll('/', '~1')}`;
  const found = MethodSettings.find((each) => each.HttpMethod === method && each.ResourcePath === resource);
  if (!found) throw new Error(`${method} ${path} has no throttle.`);
  return found;
};

/**
 * Rate rules act with a delay that is usually below 30 seconds.
 * docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-caveats.html
 */
const noticedSeconds = 30;

const simulatedSeconds = 1_200;

/** What everybody else asks for in a second. */
const others = 5;

/** In how many seconds of twenty minutes somebody is refused while one address sends so many requests a second. */
const refusedSeconds = (
  { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }: MethodSetting,
  { limit, seconds }: ReturnType<typeof boundOf>,
  flood: number,
): number => {
  let [tokens, refused] = [burst, 0];
  for (let now = 0; now < simulatedSeconds; now += 1) {
    // The address goes on in any case, and what is blocked counts, too.
    const seen = Math.max(0, Math.min(now - noticedSeconds, seconds)) * flood;
    const asked = others + (seen > limit ? 0 : flood);
    tokens = Math.min(burst, tokens + rate);
    if (asked > tokens) refused += 1;
    tokens = Math.max(0, tokens - asked);
  }
  return refused;
};

// Of those in between, 500 takes longest to be noticed and still takes all.
const floods = [0.3, 1, 10, 33, 100, 500, 1_000, 20_000];

describe.each(allVariants)('One address that needs no credential (%s)', (variant) => {
  const routes = open.map(({ method, path }) => [method, path] as const);
  const refused = (method: string, path: string, flood: number): number =>
    refusedSeconds(throttleOf(method, path, variant), boundOf(pathOf(path), variant), flood);

  it.each(routes)('cannot keep anybody from %s %s: a try again within a minute succeeds', (method, path) => {
    for (const flood of floods) expect([flood, refused(method, path, flood) <= 60]).toEqual([flood, true]);
  });

  it.each(routes)('is counted at %s %s also where its path is percent-encoded', (_, path) => {
    expect(boundOf(encodedOf(path), variant)).toEqual(boundOf(pathOf(path), variant));
    expect(boundOf(pathOf(path), variant).limit).toBeLessThanOrEqual(300);
  });

  it.each(routes)('needs at least nineteen others to keep %s %s busy for ever', (method, path) => {
    const { limit, seconds } = boundOf(pathOf(path), variant);
    expect((throttleOf(method, path, variant).ThrottlingRateLimit * seconds) / limit).toBeGreaterThanOrEqual(20);
  });

  it.each(routes.filter(([, path]) => /exchange|user/.test(path)))(
    'delays nobody at all at %s %s with what the firewall lets one address send',
    (method, path) => {
      // Without a rule of their own, sign-ins have the limit of everything: 10,000 in five minutes.
      for (const flood of [0.3, 33, 150]) expect([flood, refused(method, path, flood)]).toEqual([flood, 0]);
    },
  );
});

describe.each(allVariants)('The throttle that all other routes share (%s)', (variant) => {
  const shared = throttleOf('*', '/*', variant);
  const bound = boundOf('/npm/x/x/x', variant);

  it('refuses others for less than a minute while one address floods it, and nobody below the limit of an address', () => {
    for (const flood of floods) expect([flood, refusedSeconds(shared, bound, flood) < 60]).toEqual([flood, true]);
    expect(refusedSeconds(shared, bound, bound.limit / bound.seconds)).toBe(0);
  });

  it('leaves room beside fourteen addresses that send all that one may', () => {
    expect((shared.ThrottlingRateLimit * bound.seconds) / bound.limit).toBeGreaterThanOrEqual(15);
  });
});
