import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { endpoints as allEndpoints } from '../functions/endpoints.ts';
import type { Contract } from '../shared/http/contract.ts';
import { acknowledgements } from './acknowledgements.ts';
import { adviseOperator } from './advice.ts';
import { Api } from './api/api.ts';
import { Domain } from './api/domain.ts';
import { Fetcher } from './api/fetcher.ts';
import { FirstAdmin } from './api/first-admin.ts';
import type { FunctionDefaults } from './api/function.ts';
import { Functions } from './api/functions.ts';
import { frontRights, PackagesFront } from './api/packages-front.ts';
import { Releases } from './api/releases.ts';
import { SigningKeys } from './api/signing-keys.ts';
import { UpstreamKey } from './api/upstream-key.ts';
import { Door } from './edge/door.ts';
import { doorAcknowledgements } from './edge/door-acknowledgements.ts';
import { DoorKey } from './edge/door-key.ts';
import { DownloadKeys } from './edge/download-keys.ts';
import type { Edge } from './edge/edge.ts';
import { EdgeDomain } from './edge/edge-domain.ts';
import { Firewall } from './edge/firewall.ts';
import { Events } from './operation/events.ts';
import { Importer } from './operation/importer.ts';
import { Monitoring } from './operation/monitoring.ts';
import { Sweeper } from './operation/sweeper.ts';
import { Verifier } from './operation/verifier.ts';
import type { Settings } from './settings.ts';
import { Store, storeAcknowledgements } from './store.ts';
import { tableInUse } from './table.ts';

export interface StockroomStackProps {
  readonly settings: Settings;
  readonly bundleOf: FunctionDefaults['bundleOf'];
  readonly endpoints?: readonly Contract[];
}

/** Everything that `cdk deploy` creates. */
export class StockroomStack extends Stack {
  constructor(scope: Construct, id: string, { settings, bundleOf, endpoints = allEndpoints }: StockroomStackProps) {
    super(scope, id, {
      description: 'Stockroom: a package repository manager',
      terminationProtection: settings.keepsData,
    });
    const { keepsData, canary, readOnly, recordRetentionDays, remembersAccess } = settings;
    const ofAll = { readOnly, recordRetentionDays, remembersAccess };
    const defaults = { bundleOf, logs: settings, metricsNamespace: id, ...ofAll };

    const table = tableInUse(this, settings);
    const store = new Store(this, 'Store', settings);
    const upstreamKey = new UpstreamKey(this, 'UpstreamKey', settings);
    const signingKeys = new SigningKeys(this, 'SigningKeys', settings);
    const releases = new Releases(this, 'Releases', { canary, name: id, table, defaults });
    const fetcher = new Fetcher(this, 'Fetching', { settings, defaults, table, store, upstreamKey });
    const verifier = new Verifier(this, 'Verifying', { defaults, table, store });
    const importer = new Importer(this, 'Importing', { settings, defaults, table, store });
    const doorKey = settings.uploads === 'gateway' ? undefined : new DoorKey(this, 'DoorKey');
    const workers = { fetcher, verifier, importer };
    const parts = { settings, defaults, table, store, upstreamKey, signingKeys, ...workers, releases, doorKey };
    const functions = new Functions(this, 'Functions', { endpoints, ...parts });
    const api = new Api(this, 'Api', { name: id, functions, settings });
    const baseUrl = settings.domain ? `https://${settings.domain.name}` : api.baseUrl;
    const keys =
      settings.reads === 'edge'
        ? new DownloadKeys(this, 'DownloadKeys', { name: id, keys: settings.downloadKeys })
        : undefined;
    const { downloadLogs } = functions;
    const ofFront = { settings, defaults, table, store, signingKeys, releases, api, baseUrl, downloadLogs, keys };
    const front = settings.reads === 'gateway' ? undefined : new PackagesFront(this, 'Packages', ofFront);
    const reads = front && keys && { front, keys };
    const ofDoor = { name: id, settings, defaults, table, store, api, reads };
    const door = doorKey && new Door(this, 'Door', { ...ofDoor, key: doorKey });
    const edgeSecret = door?.outside?.secret;
    const domain = this.createDomain(settings, api, door?.outside?.edge);
    if (settings.firewall.enabled)
      new Firewall(this, 'Firewall', { api, endpoints, settings: settings.firewall, edgeSecret });
    const sweeper = new Sweeper(this, 'Sweeping', { table, store, defaults });
    const firstAdmin = new FirstAdmin(this, 'FirstAdmin', {
      table,
      // A new stack, such as that of another Region, begins read-only.
      defaults: { ...defaults, readOnly: false },
      keepsData,
    });
    const events = new Events(this, 'Events', { name: id, table });
    const watched = {
      settings,
      table,
      functions,
      api,
      releases,
      ...workers,
      sweeper,
      events,
      door: door?.outside,
      front,
    };
    new Monitoring(this, 'Monitoring', { name: id, ...watched });
    adviseOperator(this, settings);
    // Beside what CDK itself looks for. A finding that is not acknowledged ends the synthesis.
    Validations.of(this).addPlugins(new AwsSolutionsChecks(), new ServerlessChecks());
    Validations.of(this).acknowledge(
      ...acknowledgements(settings),
      ...doorAcknowledgements(settings),
      ...storeAcknowledgements(store, endpoints, settings, front ? frontRights.store : []),
    );

    const output = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description });
    output('BaseUrl', baseUrl, 'The base URL: the path of a call comes after it');
    if (front && !keys)
      output('PackagesUrl', front.url, 'The base URL for package managers, which read there for less');
    output(
      'FirstAdminSecret',
      firstAdmin.secretName,
      "The secret with the password of the first system admin, 'admin'",
    );
    output('EventBus', events.bus.eventBusName, 'The event bus of the recorded changes');
    output('TableName', table.tableName, 'The table in use');
    output('StoreBucket', store.bucketName, 'The bucket that holds what is published');
    if (door?.outside) {
      output('DistributionId', door.outside.edge.distributionId, 'The distribution of CloudFront');
      output('EdgeSecret', door.outside.secret.secretArn, 'The secret by which CloudFront proves itself');
    }
    if (domain) output('DomainTarget', domain.target, 'The target of the DNS alias record of the domain');
  }
  private createDomain({ domain }: Settings, api: Api, edge: Edge | undefined): Domain | EdgeDomain | undefined {
    if (!domain) return undefined;
    return edge ? new EdgeDomain(this, 'Domain', { edge, domain }) : new Domain(this, 'Domain', { api, domain });
  }
}
