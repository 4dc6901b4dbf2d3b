import { leftOutOf } from '../left-out.ts';
import type { ContainerClient } from './client.ts';
import { docker } from './docker.ts';
import { crane, oras, regctl } from './go-clients.ts';
import { buildah, podman, skopeo } from './system-clients.ts';

const all: readonly ContainerClient[] = [crane, oras, regctl, skopeo, podman, buildah, docker];

const leftOut = leftOutOf([...all.map(({ name }) => name), 'helm']);

/** Whether WITHOUT leaves a client out, such as `WITHOUT=podman,skopeo`. */
export const isLeftOut = (name: string): boolean => leftOut.includes(name);

/** The clients to test in every case. */
export const containerClients = all.filter(({ name }) => !isLeftOut(name));
