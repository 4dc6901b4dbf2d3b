import { createHash } from 'node:crypto';
import { Aws } from 'aws-cdk-lib';
import { CfnKeyGroup, CfnPublicKey } from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** PEM, with lines of 64 characters. */
const pemOf = (publicKey: string): string =>
  ['-----BEGIN PUBLIC KEY-----', ...(publicKey.match(/.{1,64}/g) ?? []), '-----END PUBLIC KEY-----', ''].join('\n');

export interface DownloadKeysProps {
  /** The name of the stack. */
  readonly name: string;
  /** At least one, of which the first signs. */
  readonly keys: Settings['downloadKeys'];
}

/**
 * The keys that sign addresses of files: CloudFront has the public ones, and the front reads the private one from its secret. A public
 * key at CloudFront never changes, so another one is another resource. Names are unique in the account, of which another Region may have
 * the same stack.
 */
export class DownloadKeys extends Construct {
  readonly groupId: string;
  /** The key that signs: its ID, a space, and the ARN of its secret. */
  readonly signing: string;
  private readonly secretArns: readonly string[];

  constructor(scope: Construct, id: string, { name, keys }: DownloadKeysProps) {
    super(scope, id);
    const ids = keys.map(({ publicKey }) => this.publicKeyOf(publicKey, name).ref);
    const group = new CfnKeyGroup(this, 'Group', {
      keyGroupConfig: { name: `${name}-downloads-${Aws.REGION}`, items: ids },
    });
    this.groupId = group.ref;
    this.secretArns = keys.map(({ secretArn }) => secretArn);
    this.signing = `${ids[0]} ${this.secretArns[0]}`;
  }

  private publicKeyOf(publicKey: string, name: string): CfnPublicKey {
    const digest = createHash('sha256').update(publicKey).digest('hex').slice(0, 8);
    return new CfnPublicKey(this, `Key${digest}`, {
      publicKeyConfig: {
        name: `${name}-downloads-${Aws.REGION}-${digest}`,
        callerReference: digest,
        encodedKey: pemOf(publicKey),
      },
    });
  }

  /** While one key replaces the other, processes of both releases run with one role. */
  readStatement(): PolicyStatement {
    return new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [...this.secretArns] });
  }
}
