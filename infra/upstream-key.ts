import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** The key under which the passwords of upstream repositories are stored. Nothing in this stack may decrypt with it. */
export class UpstreamKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'Passwords of upstream repositories', enableKeyRotation: true });
  }

  /** The right to encrypt, but only for a named repository of a named workspace. */
  encryptStatement(): PolicyStatement {
    return new PolicyStatement({
      actions: ['kms:Encrypt'],
      resources: [this.keyArn],
      conditions: {
        'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspaceId', 'repositoryId'] },
        Null: { 'kms:EncryptionContext:workspaceId': 'false', 'kms:EncryptionContext:repositoryId': 'false' },
      },
    });
  }
}
