import { type AccessRequest, type PolicyDecision, type PolicyStatement, RolePolicy } from './role-policy.ts';

/** What a function asked for and what its role said. */
export interface AccessAttempt extends PolicyDecision {
  readonly action: string;
  readonly resource: string;
}

/** Holds what a function asks for against the policy of its role. */
export class AccessCheck {
  private readonly policy: RolePolicy;
  private readonly principal: string;
  private readonly report: (attempt: AccessAttempt) => void;
  private readonly reported = new Set<PolicyDecision>();

  /** `report` hears of every refusal, and of what is allowed at least once for each right. */
  constructor(principal: string, statements: readonly PolicyStatement[], report: (attempt: AccessAttempt) => void) {
    this.policy = new RolePolicy(statements);
    this.principal = principal;
    this.report = report;
  }

  /** The first refusal, in AWS's words, if there is one. */
  refusalOf(requests: readonly AccessRequest[]): string | undefined {
    const refused = requests.find((request) => !this.isAllowed(request));
    return (
      refused &&
      `User: ${this.principal} is not authorized to perform: ${refused.action} on resource: ${refused.resource} because no identity-based policy allows the ${refused.action} action`
    );
  }

  private isAllowed(request: AccessRequest): boolean {
    const decision = this.policy.decide(request);
    if (!decision.isAllowed || !this.reported.has(decision)) {
      this.reported.add(decision);
      this.report({ action: request.action, resource: request.resource, ...decision });
    }
    return decision.isAllowed;
  }
}
