import { type CfnRole, PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { StoreRight } from '../shared/http/contract.ts';
import type { DoorKey } from './door-key.ts';
import { doorFunctionId, functionIdMetadata } from './function-metadata.ts';
import type { Settings } from './settings.ts';
import { type Store, storeStatements } from './store.ts';

/** The door writes what it receives, and takes back what nothing refers to. */
const doorRights: readonly StoreRight[] = [
  'PutObject staging/*',
  'AbortMultipartUpload staging/*',
  'DeleteObject staging/*',
];

export interface DoorProps {
  readonly settings: Settings;
  readonly store: Store;
  readonly key: DoorKey;
}

/** The server that receives bodies which are too large for API Gateway, and what it may do. */
export class Door extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { store, key }: DoorProps) {
    super(scope, id);
    const statements: PolicyStatement[] = [...storeStatements(store, doorRights), key.signStatement()];
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { door: new PolicyDocument({ statements }) },
    });
    // The local runner finds the rights of its door by this.
    (this.role.node.defaultChild as CfnRole).addMetadata(functionIdMetadata, doorFunctionId);
  }
}
