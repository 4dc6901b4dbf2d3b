import { RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * What CloudFront says to prove that it is the one who asks: an object with the value `first`, and `second` while the values are
 * exchanged. Nothing is lost with it, so no stage keeps it.
 */
export class EdgeSecret extends Secret {
  private readonly accepted: Settings['door']['edgeSecrets'];

  constructor(scope: Construct, id: string, { door }: Settings) {
    super(scope, id, {
      description: 'What CloudFront sends to API Gateway and to the door',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'first',
        passwordLength: 43,
        excludePunctuation: true,
      },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.accepted = door.edgeSecrets;
  }

  /** References to the accepted values, which CloudFormation resolves: no template has one. CloudFront sends the first. */
  get references(): readonly string[] {
    return this.accepted.map((key) => this.secretValueFromJson(key).unsafeUnwrap());
  }

  readStatement(): PolicyStatement {
    return new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [this.secretArn] });
  }
}
