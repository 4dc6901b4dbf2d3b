import { getNpmDocument, publishNpmPackage } from '../../functions/npm/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { publishBody } from './npm-packages.ts';
import { createVirtual } from './repositories.ts';
import type { Service } from './service.ts';
import type { Named } from './world.ts';

/** A request to the registry of a repository. */
export interface RegistryRequest {
  readonly repository?: Pick<Named, 'name'>;
  readonly as?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly json?: unknown;
  readonly method?: string;
}

/** Two npm repositories, one of them virtual over the other, and a client of their registries. */
export const useNpmRegistry = (service: Service) => {
  const made: { workspace?: Named; local?: Named; virtual?: Named } = {};
  const present = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The registry is not set up yet.');
    return value;
  };
  beforeAll(async () => {
    made.workspace = await service.world.workspace();
    made.local = await service.world.repository(made.workspace);
    made.virtual = await createVirtual(service, made.workspace, [made.local], {
      uploadLocalRepositoryId: made.local.id,
    });
  });
  const send = async (contract: Contract, tail: string, request: RegistryRequest = {}) => {
    const { repository = present(made.local), as = (await service.world.systemAdmin()).bearer, json } = request;
    return service.client.sendTo(contract, {
      ...(request.method && { method: request.method }),
      path: `/npm/${present(made.workspace).name}/${repository.name}/${tail}`,
      headers: [
        ['Authorization', as],
        ...(json === undefined ? [] : [['Content-Type', 'application/json'] as const]),
        ...(request.headers ?? []),
      ],
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  };
  return {
    get workspace() {
      return present(made.workspace);
    },
    get local() {
      return present(made.local);
    },
    get virtual() {
      return present(made.virtual);
    },
    send,
    get: (tail: string, request: RegistryRequest = {}) => send(getNpmDocument, tail, request),
    publish: (name: string, version = '1.0.0', request: RegistryRequest = {}) =>
      send(publishNpmPackage, name.replace('/', '%2f'), { json: publishBody(name, version), ...request }),
  };
};
