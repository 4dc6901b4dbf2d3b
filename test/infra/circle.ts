import type { Template } from './templates.ts';

/** The resources that a value refers to. */
const referredTo = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, argument]) => {
    if (name === 'Ref') return [String(argument)];
    if (name === 'Fn::GetAtt') return [String([argument].flat()[0]).split('.')[0] ?? ''];
    if (name === 'Fn::Sub')
      return Array.from(String([argument].flat()[0]).matchAll(/\$\{(\w+)/g), ([, id]) => id ?? '');
    return referredTo(argument);
  });
};

/** Resources of a template that wait for each other, which CloudFormation refuses; none when all is well. */
export const circle = ({ Resources }: Template): string[] => {
  const settled = new Set<string>();
  const visit = (id: string, path: readonly string[]): string[] => {
    const resource = Resources[id];
    if (path.includes(id)) return [...path, id];
    if (!resource || settled.has(id)) return [];
    const waitsFor = [
      ...[resource.DependsOn ?? []].flat(),
      ...referredTo([resource.Properties, resource.UpdatePolicy]),
    ];
    for (const other of waitsFor) {
      const found = visit(other, [...path, id]);
      if (found.length > 0) return found;
    }
    settled.add(id);
    return [];
  };
  return Object.keys(Resources).reduce<string[]>((found, id) => (found.length > 0 ? found : visit(id, [])), []);
};
