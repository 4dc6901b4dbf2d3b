import { Lazy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Contract } from '../../shared/http/contract.ts';
import type { StockroomLog } from './log.ts';

/** The logs that say who fetched which file: of the functions that serve files of a package type, and of the front, which serves those of all. */
export class DownloadLogs {
  private readonly entries: { readonly of: string; readonly log: StockroomLog }[] = [];

  /** Adds the log of an endpoint, if it serves files. */
  addEndpoint({ id, servesFiles }: Contract, log: StockroomLog): void {
    if (servesFiles) this.entries.push({ of: id.split('/')[0] ?? '', log });
  }

  addFront(log: StockroomLog): void {
    this.entries.push({ of: '*', log });
  }

  /** The names of the groups, each behind its package type and an equals sign. Logs may be added until the synthesis. */
  inWords(): string {
    return Lazy.string({ produce: () => this.entries.map(({ of, log }) => `${of}=${log.logGroupName}`).join(',') });
  }

  /** The right to search them. */
  searchStatement(): PolicyStatement {
    return new PolicyStatement({
      actions: ['logs:FilterLogEvents'],
      resources: Lazy.list({ produce: () => this.entries.map(({ log }) => log.logGroupArn) }),
    });
  }
}
