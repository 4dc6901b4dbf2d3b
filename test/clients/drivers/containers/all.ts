import type { ContainerClient } from './client.ts';
import { crane, oras, regctl } from './go-clients.ts';
import { podman, skopeo } from './system-clients.ts';

const all: readonly ContainerClient[] = [crane, oras, regctl, skopeo, podman];

const names = [...all.map(({ name }) => name), 'helm'];
const leftOut = (process.env.WITHOUT ?? '').split(',').filter((name) => name !== '');
const unknown = leftOut.filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`WITHOUT names no client: ${unknown.join(', ')}. There are ${names.join(', ')}.`);

/** Whether WITHOUT leaves a client out, such as `WITHOUT=podman,skopeo`. */
export const isLeftOut = (name: string): boolean => leftOut.includes(name);

/** The clients to test in every case. */
export const containerClients = all.filter(({ name }) => !isLeftOut(name));
