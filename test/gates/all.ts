import { sampleOf, today } from '../harness/sampling.ts';
import { cargoGate } from './cargo.ts';
import { composerGate } from './composer.ts';
import { conanGate } from './conan.ts';
import type { GatedType, GateWorld } from './gated-type.ts';
import { gemsGate } from './gems.ts';
import { goGate } from './go.ts';
import { helmGate } from './helm.ts';
import { mavenGate } from './maven.ts';
import { npmGate } from './npm.ts';
import { chocolateyGate, nugetGate } from './nupkgs.ts';
import { pypiGate } from './pypi.ts';

const all = [
  npmGate,
  pypiGate,
  cargoGate,
  helmGate,
  composerGate,
  gemsGate,
  nugetGate,
  chocolateyGate,
  goGate,
  conanGate,
  mavenGate,
];

/** All package types whose remote repositories have a gate. */
export const gatedTypes = (world: GateWorld): readonly GatedType[] => all.map((gateIn) => gateIn(world));

/** Two of them, others each day, for what takes long with each; with ALL_GATES, all of them. */
export const sampledGates = (world: GateWorld): readonly GatedType[] =>
  process.env.ALL_GATES ? gatedTypes(world) : sampleOf(gatedTypes(world), today, 2);
