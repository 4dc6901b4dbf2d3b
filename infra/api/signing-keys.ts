import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type CfnKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * The keys that sign documents such as the indexes of Debian. Clients trust their public halves, so a stage that keeps its data keeps them.
 * The stack makes those that the settings name, and only uses those that they give the ARN of.
 */
export class SigningKeys extends Construct {
  private readonly keys: readonly { readonly arn: string; readonly createdAt: number }[];

  constructor(scope: Construct, id: string, { signingKeys, keepsData }: Settings) {
    super(scope, id);
    this.keys = signingKeys.map(({ key, createdAt }) => ({
      arn: key.startsWith('arn:') ? key : this.createKey(key, keepsData),
      createdAt,
    }));
  }

  /** The keys as the functions read them, in `signingKeysVariable`. */
  get inWords(): string {
    return this.keys.map(({ arn, createdAt }) => `${arn} ${createdAt}`).join();
  }

  /** Allows signatures of OpenPGP and nothing else. */
  signStatement(): PolicyStatement {
    return new PolicyStatement({
      actions: ['kms:Sign', 'kms:GetPublicKey'],
      resources: this.keys.map(({ arn }) => arn),
    });
  }

  private createKey(name: string, keepsData: boolean): string {
    const key = new Key(this, name, {
      description: `Signatures of documents: the ${name} key`,
      keySpec: KeySpec.RSA_3072,
      keyUsage: KeyUsage.SIGN_VERIFY,
      pendingWindow: Duration.days(7),
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // Clients know the key: no move of it in the stack may make another one.
    (key.node.defaultChild as CfnKey).overrideLogicalId(`SigningKey${name === 'first' ? 'First' : 'Second'}`);
    return key.keyArn;
  }
}
