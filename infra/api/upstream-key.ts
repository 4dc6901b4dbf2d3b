import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * The key that encrypts the passwords of upstream repositories. The functions that store them may only encrypt with it, and
 * those that ask upstreams only decrypt.
 */
export class UpstreamKey extends Key {
  constructor(scope: Construct, id: string, { keepsData }: Settings) {
    super(scope, id, {
      description: 'Passwords of upstream repositories',
      enableKeyRotation: true,
      pendingWindow: Duration.days(7),
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  /** Allows encryption, but only for a named repository of a named workspace. */
  encryptStatement(): PolicyStatement {
    return this.statementFor('kms:Encrypt');
  }

  /** Allows decryption, likewise. */
  decryptStatement(): PolicyStatement {
    return this.statementFor('kms:Decrypt');
  }

  private statementFor(action: string): PolicyStatement {
    return new PolicyStatement({
      actions: [action],
      resources: [this.keyArn],
      conditions: {
        'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspaceId', 'repositoryId'] },
        Null: { 'kms:EncryptionContext:workspaceId': 'false', 'kms:EncryptionContext:repositoryId': 'false' },
      },
    });
  }
}
