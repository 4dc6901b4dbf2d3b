import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/**
 * The key under which the door refers to bodies that it has received. The door alone may sign, and the functions that take
 * bodies may only verify. References end after minutes, so no stage keeps the key.
 */
export class DoorKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'References to received bodies',
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      pendingWindow: Duration.days(7),
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  signStatement(): PolicyStatement {
    return new PolicyStatement({ actions: ['kms:GenerateMac'], resources: [this.keyArn] });
  }

  verifyStatement(): PolicyStatement {
    return new PolicyStatement({ actions: ['kms:VerifyMac'], resources: [this.keyArn] });
  }
}
