import { type CfnRole, PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { doorFunctionId, functionIdMetadata } from '../api/function-metadata.ts';

/** The role of the door, which allows exactly these statements. The local runner and the tests find it by its metadata. */
export class DoorRole extends Role {
  constructor(scope: Construct, id: string, service: string, statements: readonly PolicyStatement[]) {
    super(scope, id, {
      assumedBy: new ServicePrincipal(service),
      inlinePolicies: { door: new PolicyDocument({ statements: [...statements] }) },
    });
    (this.node.defaultChild as CfnRole).addMetadata(functionIdMetadata, doorFunctionId);
  }
}
