import { Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { DoorMetrics } from '../edge/door-metrics.ts';
import { ofAllFunctions, ofFunction, type WatchedMetrics } from './metrics.ts';

export interface DashboardProps {
  readonly name: string;
  readonly metrics: WatchedMetrics;
  /** Where the stage has a door on AWS. */
  readonly door: DoorMetrics | undefined;
  /** Where the stage has a second front for reads. */
  readonly front: IFunction | undefined;
}

/** The dashboard: how many requests come, how many are refused and why, and what they cost the table. */
export class StockroomDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { name, metrics, door, front }: DashboardProps) {
    super(scope, id, { dashboardName: name });
    const row = (...graphs: readonly (readonly [title: string, ...metrics: IMetric[]])[]) => {
      // CloudWatch takes whole numbers alone.
      const width = Math.floor(24 / graphs.length);
      this.addWidgets(...graphs.map(([title, ...left]) => new GraphWidget({ title, left, width })));
    };
    row(
      ['Requests', metrics.counted('requests', 'served'), metrics.api('Count', 'Sum', 'all')],
      ['Failed requests', metrics.faults(), metrics.api('5XXError', 'Sum', 'with those that an upstream caused')],
      ['Latency, ms', metrics.api('Latency', 'p50', 'p50'), metrics.api('Latency', 'p99', 'p99')],
    );
    row(
      ['Refusals by reason', metrics.refusalsByReason()],
      ['Refused by the gateway and the functions', metrics.api('4XXError', 'Sum', '4xx'), metrics.unauthenticated],
      ['Wrong passwords', metrics.counted('passwordFailures', 'wrong passwords')],
    );
    row(
      [
        'Authorizer',
        metrics.authorizer('Invocations', 'Sum', 'calls'),
        metrics.authorizer('Throttles', 'Sum', 'throttled'),
        metrics.authorizerFailures,
      ],
      ['Authorizer, ms', metrics.authorizer('Duration', 'p50', 'p50'), metrics.authorizer('Duration', 'p99', 'p99')],
      [
        'Functions at work',
        ofAllFunctions('ConcurrentExecutions', 'Maximum', 'at once'),
        ofAllFunctions('Throttles', 'Sum', 'throttled'),
      ],
      ['Denied by AWS', metrics.counted('accessDenials', 'denied')],
    );
    row(
      [
        'Capacity units of the table',
        metrics.tableUnits('ConsumedReadCapacityUnits', 'read'),
        metrics.tableUnits('ConsumedWriteCapacityUnits', 'written'),
      ],
      [
        'Retried calls of the table',
        metrics.counted('conflictsRetried', 'conflicts'),
        metrics.counted('tableThrottles', 'throttled'),
      ],
      ['Failed sweeps', metrics.failedSweeps(), metrics.counted('unfinishedSweeps', 'unfinished')],
      ['Failures of the pipe', metrics.failedEvents()],
      ['Undelivered events', metrics.undeliveredEvents()],
    );
    row(
      ['Failed upstreams', metrics.counted('upstreamFailures', 'failed')],
      ['Files that are not what was promised', metrics.counted('integrityRejections', 'rejected')],
      ['Lost objects', metrics.counted('lostObjects', 'lost')],
      [
        'Long fetches',
        metrics.fetcher('Invocations', 'fetches'),
        metrics.fetcher('Throttles', 'throttled'),
        metrics.fetcher('AsyncEventsDropped', 'dropped'),
      ],
      ['Verified uploads', metrics.verifier('Invocations', 'runs'), metrics.verifier('AsyncEventsDropped', 'dropped')],
      [
        'Imports of advisories',
        metrics.importer('Invocations', 'runs'),
        metrics.importer('AsyncEventsDropped', 'dropped'),
        metrics.counted('refusedImports', 'refused'),
      ],
    );
    row(
      [
        'Files that are held back or blocked',
        metrics.refusedFor('VERSION_HELD', 'held back'),
        metrics.refusedFor('VERSION_BLOCKED', 'blocked'),
      ],
      ['Lists without versions that do not pass', metrics.counted('answersWithout', 'answers')],
      ['What gates that only observe would hold back', metrics.counted('wouldHold', 'answers')],
    );
    if (front)
      row(
        [
          'Reads at the front',
          ofFunction(front, 'Invocations', 'Sum', 'requests'),
          ofFunction(front, 'Throttles', 'Sum', 'throttled'),
          ofFunction(front, 'Errors', 'Sum', 'failed'),
        ],
        [
          'Latency of the front, ms',
          ofFunction(front, 'Duration', 'p50', 'p50'),
          ofFunction(front, 'Duration', 'p99', 'p99'),
        ],
      );
    if (door)
      row(
        ['Large bodies', door.staged, door.cut],
        ['Failures of the door', door.failures, ...(door.balancer ? Object.values<IMetric>({ ...door.balancer }) : [])],
      );
  }
}
