import { endpoints } from '../../functions/endpoints.ts';
import { isOpen } from '../../shared/http/contract.ts';
import { synthesiseVariant } from './templates.ts';

jest.setTimeout(120_000);

const open = endpoints.filter(isOpen);
// Those of packages need the rights that the stack acknowledges.
const { resources } = synthesiseVariant({
  stage: 'prod',
  endpoints: endpoints.filter((each) => isOpen(each) || each.id.startsWith('universal/')),
});

const propertiesOf = (type: string): Readonly<Record<string, unknown>> =>
  resources.find(({ Type }) => Type === type)?.Properties ?? {};

interface RateRule {
  readonly Statement: {
    readonly RateBasedStatement?: {
      readonly AggregateKeyType: string;
      readonly Limit: number;
      readonly EvaluationWindowSec: number;
      readonly ScopeDownStatement?: { readonly RegexMatchStatement?: { readonly RegexString: string } };
    };
  };
}

/** How many requests for a path one address may send in a window of so many seconds. */
const boundOf = (path: string): { readonly limit: number; readonly seconds: number } => {
  const { Rules } = propertiesOf('AWS::WAFv2::WebACL') as { Rules: readonly RateRule[] };
  const bounds = Rules.flatMap(({ Statement: { RateBasedStatement: rate } }) => {
    if (rate?.AggregateKeyType !== 'IP') return [];
    const { ScopeDownStatement: scope } = rate;
    const isCounted =
      !scope || (scope.RegexMatchStatement && new RegExp(scope.RegexMatchStatement.RegexString).test(path));
    return isCounted ? [{ limit: rate.Limit, seconds: rate.EvaluationWindowSec }] : [];
  });
  return bounds.toSorted((one, other) => one.limit - other.limit)[0] ?? { limit: Infinity, seconds: 300 };
};

interface MethodSetting {
  readonly ResourcePath: string;
  readonly HttpMethod: string;
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** What API Gateway passes on of a route, from all addresses together. */
const throttleOf = (method: string, path: string): MethodSetting => {
  const { MethodSettings } = propertiesOf('AWS::ApiGateway::Stage') as { MethodSettings: readonly MethodSetting[] };
  const resource = `/${path.replaceAll('/', '~1')}`;
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
const refusedSeconds = (method: string, path: string, flood: number): number => {
  const { limit, seconds } = boundOf(path.replaceAll(/\{[^}]+\}/g, 'x'));
  const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = throttleOf(method, path);
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

describe('One address that needs no credential', () => {
  const routes = open.map(({ method, path }) => [method, path] as const);

  it.each(routes)('cannot keep anybody from %s %s: a try again within a minute succeeds', (method, path) => {
    for (const flood of [0.3, 1, 10, 33, 100, 1_000, 20_000])
      expect([flood, refusedSeconds(method, path, flood) <= 60]).toEqual([flood, true]);
  });

  it.each(routes)('needs at least nineteen others to keep %s %s busy for ever', (method, path) => {
    const { limit, seconds } = boundOf(path.replaceAll(/\{[^}]+\}/g, 'x'));
    expect((throttleOf(method, path).ThrottlingRateLimit * seconds) / limit).toBeGreaterThanOrEqual(20);
  });

  it.each(routes.filter(([, path]) => /exchange|user/.test(path)))(
    'delays nobody at all at %s %s with what the firewall lets one address send',
    (method, path) => {
      // Without a rule of their own, sign-ins have the limit of everything: 10,000 in five minutes.
      for (const flood of [0.3, 33, 150]) expect([flood, refusedSeconds(method, path, flood)]).toEqual([flood, 0]);
    },
  );
});
