// The package types, one line for each. Endpoints, documents, the firewall, the rules for upstreams and the bundles follow from it.
export * as cargo from './cargo/type.ts';
export * as chocolatey from './chocolatey/type.ts';
export * as composer from './composer/type.ts';
export * as conan from './conan/type.ts';
export * as debian from './debian/type.ts';
export * as docker from './docker/type.ts';
export * as gems from './gems/type.ts';
export * as go from './go/type.ts';
export * as helm from './helm/type.ts';
export * as maven from './maven/type.ts';
export * as npm from './npm/type.ts';
export * as nuget from './nuget/type.ts';
export * as pypi from './pypi/type.ts';
export * as rpm from './rpm/type.ts';
export * as universal from './universal/type.ts';
