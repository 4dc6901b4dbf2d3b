/** A statement of an IAM policy as CDK writes it. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Conditions;
}

type Values = string | readonly string[];
type Conditions = Readonly<Record<string, Readonly<Record<string, Values>>>>;

/** What a function asks AWS to do. */
export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  /** The keys that conditions can look at. */
  readonly context: Readonly<Record<string, Values>>;
}

/** One action on one resource, as a statement of a policy gives or denies it. */
export interface Right {
  readonly action: string;
  readonly resource: string;
}

/** Whether a request is allowed, and the rights that say so. */
export interface Decision {
  readonly isAllowed: boolean;
  readonly rights: readonly Right[];
}

type Rule = Right & Pick<PolicyStatement, 'Effect' | 'Condition'>;

const refused: Decision = { isAllowed: false, rights: [] };

const listOf = (values: Values): readonly string[] => [values].flat();

/** The policy of a function's role, judged as IAM judges it: what is not allowed is refused, and a denial wins. */
export class RolePolicy {
  private readonly rules: readonly Rule[];
  /** Decisions that no condition had a part in. */
  private readonly decided = new Map<string, Decision>();

  constructor(statements: readonly PolicyStatement[]) {
    this.rules = statements.flatMap(rulesOf);
  }

  /** Everything that the policy allows. */
  get rights(): readonly Right[] {
    return this.rules.filter(({ Effect }) => Effect === 'Allow').map(({ action, resource }) => ({ action, resource }));
  }

  decide(request: AccessRequest): Decision {
    const key = `${request.action} ${request.resource}`;
    const known = this.decided.get(key);
    if (known) return known;
    const rules = this.rules.filter((rule) => isAbout(rule, request));
    const decision = judge(rules, request);
    if (rules.every(({ Condition }) => Condition === undefined)) this.decided.set(key, decision);
    return decision;
  }
}

const rulesOf = (statement: PolicyStatement): Rule[] => {
  const { Effect, Action, Resource, Condition, ...others } = statement;
  const unknown = Object.keys(others).find((name) => name !== 'Sid');
  if (unknown) throw new Error(`The local runner does not know ${unknown}, which a policy uses.`);
  return listOf(Action).flatMap((action) =>
    listOf(Resource).map((resource) => ({ action, resource, Effect, Condition })),
  );
};

const judge = (rules: readonly Rule[], { context }: AccessRequest): Decision => {
  const met = rules.filter(({ Condition = {} }) => isMet(Condition, context));
  const isAllowed = met.length > 0 && met.every(({ Effect }) => Effect === 'Allow');
  return isAllowed ? { isAllowed, rights: met.map(({ action, resource }) => ({ action, resource })) } : refused;
};

const isAbout = (rule: Rule, { action, resource }: AccessRequest): boolean =>
  isLike(rule.action.toLowerCase(), action.toLowerCase()) && isLike(rule.resource, resource);

/** IAM's patterns: `*` stands for any text, `?` for one character. */
export const isLike = (pattern: string, text: string): boolean => {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text);
};

/** All operators must hold, and for each one all of its keys. */
const isMet = (conditions: Conditions, context: AccessRequest['context']): boolean =>
  Object.entries(conditions).every(([operator, keys]) =>
    Object.entries(keys).every(([key, expected]) => holds(operator, listOf(expected), context[key])),
  );

type Test = (expected: readonly string[], actual: string) => boolean;

const tests: Readonly<Record<string, Test>> = {
  StringEquals: (expected, actual) => expected.includes(actual),
  StringNotEquals: (expected, actual) => !expected.includes(actual),
  StringLike: (expected, actual) => expected.some((pattern) => isLike(pattern, actual)),
  Bool: (expected, actual) => expected.includes(actual),
};

const holds = (operator: string, expected: readonly string[], actual: Values | undefined): boolean => {
  if (operator === 'Null') return expected.includes(String(actual === undefined));
  const [quantity, name = ''] = operator.includes(':') ? operator.split(':') : ['', operator];
  const test = tests[name];
  if (!test) throw new Error(`The local runner does not know the condition ${operator}, which a policy uses.`);
  const values = actual === undefined ? [] : listOf(actual);
  // Of no values all are as expected: the reason why such a condition goes together with Null.
  if (quantity === 'ForAllValues') return values.every((value) => test(expected, value));
  if (quantity === 'ForAnyValue') return values.some((value) => test(expected, value));
  if (values.length === 0) return name === 'StringNotEquals';
  return values.every((value) => test(expected, value));
};
