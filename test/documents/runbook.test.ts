import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Endpoint } from '../../functions/endpoints.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { createLocalRepository, getRepository } from '../../functions/repositories/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { accessLogFields } from '../../infra/api/api.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { Table } from '../../shared/table/client.ts';
import { tokenKey } from '../../shared/table/keys.ts';
import { accessReads, costs } from '../facts/costs.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { facts } from '../harness/endpoint-facts.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { synthesiseVariant, synthesisOfDev } from '../infra/templates.ts';
import {
  assumptions,
  costOfIdleMonth,
  costOfMetrics,
  costOfMillion,
  costOfReads,
  costOfRecords,
  costOfStored,
  costOfStreamShard,
  costTable,
  priceTable,
  type Usage,
  usage,
  usageTable,
} from './costs.ts';
import { costOfEdgeReads, costOfFrontReads, costOfInstall } from './front-costs.ts';

const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const service = useService();

/** The lines of a request reach the test a little after its answer. */
const logged = (): Promise<void> => pause(300);

/** What a warm request uses: of the function, and of the authorizer where it was asked. */
const usageOf = async (
  functionId: string,
  send: () => Promise<unknown>,
  beforehand = async () => {},
): Promise<Usage> => {
  await send();
  // The second read keeps what the first one has seen the version of.
  await send();
  await beforehand();
  await logged();
  service.proxy.forget();
  service.proxy.countsUnits = true;
  const linesBefore = service.logs.length;
  await send();
  const calls = service.proxy.callsOf(functionId);
  const units = (isWrite: boolean) =>
    calls.filter((call) => call.isWrite === isWrite).reduce((total, call) => total + (call.units ?? 0), 0);
  await logged();
  const lines = service.logs
    .slice(linesBefore)
    .filter((line) => functionId !== 'authorizer' || line.includes(functionId));
  return { readUnits: units(false), writeUnits: units(true), logBytes: lines.join('\n').length };
};

const measured = async (): Promise<Record<keyof typeof usage, Usage>> => {
  const { world, client, runner } = service;
  const workspace = await world.workspace();
  const [bot, admin, repository] = [
    await world.member(workspace),
    await world.member(workspace, 'admin'),
    await world.repository(workspace),
  ];
  await world.grant(workspace, repository, bot, 'canView');
  const params = { workspace: workspace.name, repository: repository.name };
  const read = () => client.succeed(getRepository, { params, as: bot.bearer });
  const create = () => {
    const body = { name: uniqueName(), packageType: 'npm' as const };
    return client.succeed(createLocalRepository, { params: { workspace: workspace.name }, body, as: admin.bearer });
  };
  return {
    read: await usageOf(getRepository.id, read),
    create: await usageOf(createLocalRepository.id, create),
    authorizer: await usageOf('authorizer', read, async () => runner.clearAuthorizerCache()),
  };
};

describe('The runbook', () => {
  it('tells the prices from which its costs are computed', () => {
    expect(runbook).toContain(priceTable());
  });

  it('tells what requests use, as measured now', async () => {
    for (const [kind, loaded] of Object.entries(await measured())) {
      const { logBytes, ...units } = usage[kind as keyof typeof usage];
      expect([kind, loaded]).toMatchObject([kind, units]);
      // Lines differ by the digits of a duration.
      expect(Math.abs(loaded.logBytes - logBytes)).toBeLessThan(20);
    }
    expect(runbook).toContain(usageTable());
  });

  it('counts the bytes of a line in the access log', () => {
    const told: Readonly<Record<string, string>> = {
      requestId: randomUUID(),
      extendedRequestId: 'Q1w2E3r4T5y6U7i=',
      sourceIp: '203.0.113.117',
      method: 'GET',
      route: getNpmDocument.path,
      status: '200',
      responseLength: '20480',
      latency: '45',
      errorType: '-',
    };
    expect(Object.keys(told)).toEqual(Object.keys(accessLogFields));
    expect(Math.abs(JSON.stringify(told).length - assumptions.accessLogBytes)).toBeLessThan(10);
  });

  it('tells what a million requests cost, and what metrics cost', () => {
    const { functions } = readAssembly(assemblyDirectory());
    const memory = functions.find(({ id }) => id === getRepository.id)?.memoryMegabytes ?? 0;
    expect(runbook).toContain(costTable({ 'A million requests, $': costOfMillion(memory) }));
    expect(runbook).toContain(`$${costOfMetrics()}`);
  });

  it('tells what downloads, installs and stored bytes cost', () => {
    const { functions } = readAssembly(assemblyDirectory());
    const memory = functions.find(({ id }) => id === getNpmDocument.id)?.memoryMegabytes ?? 0;
    const readsOf = (contract: Endpoint) => accessReads(contract) + costs[facts[contract.id].cost].reads;
    const [ofFile, ofPackument] = [readsOf(getUniversalFile), readsOf(getNpmDocument)];
    const { downloadBytes, packumentBytes, tarballBytes, servedLogBytes } = assumptions;
    const packument = { millions: 1_000, readUnits: ofPackument, bytes: packumentBytes, ...assumptions.packument };
    const served = { readUnits: ofFile, servedLogBytes };
    const tarball = { millions: 1_000, ...served, bytes: tarballBytes, ...assumptions.tarball };
    const download = { millions: 1, ...served, bytes: downloadBytes, ...assumptions.download };
    const [installs, atFront] = [
      costOfReads(memory, [packument, tarball], assumptions.installsRememberedPercent),
      costOfFrontReads(memory, [packument, tarball]),
    ];
    expect(runbook).toContain(
      costTable({
        'A million downloads, $': costOfReads(memory, [download], assumptions.authorizationsRememberedPercent),
        'A million installs, $': installs,
        'at the second front, $': atFront,
      }),
    );
    const atEdge = costOfEdgeReads(memory, [
      { ...packument, edgeRequests: 1 },
      { ...tarball, edgeRequests: 1 },
    ]);
    expect(runbook).toContain(
      costTable({
        'A million downloads at CloudFront, $': costOfEdgeReads(memory, [{ ...download, edgeRequests: 2 }]),
        'A million installs, $': atEdge,
      }),
    );
    const [atGateway, atUrl, inFront] = [installs, atFront, atEdge].map((lines) => costOfInstall(lines).toFixed(4));
    expect(runbook).toContain(`An install costs $${inFront} in requests at CloudFront`);
    expect(Number(atUrl)).toBeLessThanOrEqual(0.003);
    expect(runbook).toContain(`An install costs $${atGateway} in requests, and $${atUrl} at the second front.`);
    expect(runbook).toContain(`A download reads ${ofFile} units of the table, and a packument ${ofPackument}.`);
    expect(runbook).toContain(`100 GB in the bucket cost $${costOfStored(100)} a month`);
  });

  it('tells what an idle month costs, as the templates are now', () => {
    const dev = costOfIdleMonth(synthesisOfDev().resources);
    const prod = costOfIdleMonth(synthesiseVariant({ stage: 'prod' }).resources);
    expect(runbook).toContain(costTable({ 'dev, $': dev, 'prod, $': prod }));
  }, 120_000);

  it('tells what records, events and the reads of the stream cost', () => {
    const { units, events } = costOfRecords();
    expect(runbook).toContain(
      `A million changes cost $${units} for the units of their records and $${events} as events`,
    );
    expect(runbook).toContain(`a shard costs $${costOfStreamShard()} a month`);
  });

  it('has lines that report the unused tokens of all users and workspaces', async () => {
    const { world, runner } = service;
    const [workspace, user, root] = [await world.workspace(), await world.user(), await world.systemAdmin()];
    const { tokenId } = await world.workspaceToken(workspace, 'canView');
    const hour = '2020-01-31T09:00:00.000Z';
    for (const unused of [user.tokenId, tokenId])
      await new Table().update({
        update: tokenKey(unused),
        set: 'SET #lastUsedAt = :hour',
        values: { ':hour': hour },
      });
    await world.workspaceToken(workspace, 'canView');
    const [, script = ''] = /^## Report unused tokens\n.*?```sh\n(.*?)```/ms.exec(runbook) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      env: { PATH: process.env.PATH ?? '', BASE: runner.url, ADMIN: `token:${root.token}` },
    });
    expect(stdout.trim().split('\n')).toEqual([
      `user ${user.username}\t${user.tokenId}\tci\t${hour}`,
      `workspace ${workspace.name}\t${tokenId}\tpipeline\t${hour}`,
    ]);
  });

  it('looks nothing up among the first hundred resources, which are not all', () => {
    expect(runbook).not.toContain('describe-stack-resources');
    const outputs = Array.from(runbook.matchAll(/\$\(output (\w+)\)/g), ([, name = '']) => name);
    expect([...new Set(outputs)].toSorted()).toEqual([
      'BaseUrl',
      'DistributionId',
      'EdgeSecret',
      'FirstAdminSecret',
      'StoreBucket',
      'TableName',
    ]);
  });

  it('has a paragraph for each alarm', () => {
    const alarms = synthesisOfDev()
      .resources.filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      .map(({ Properties }) => String(Properties?.AlarmName).replace('Stockroom-dev-', ''));
    expect(alarms.length).toBeGreaterThan(0);
    for (const alarm of alarms) expect(runbook).toContain(`### ${alarm}\n`);
  });
});
