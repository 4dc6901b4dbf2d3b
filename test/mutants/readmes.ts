import { bugsIn, type Mutant } from './mutant.ts';

const suite = 'functions/packages/get-package-readme';

/** Bugs in the READMEs of versions. */
export const readmeMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/formats/readme.ts', suite, {
    'a README of a folder further down is that of the package': ['deeper.length > 0 ? undefined : name', 'name'],
    'a README of any length is sent': ['bytes.subarray(0, readmeBytesMax)', 'bytes.subarray(0)'],
    'a README ends with half a character': ['{ stream: bytes.length > readmeBytesMax }', '{ stream: false }'],
  }),
  ...bugsIn('shared/packages/formats/zipped-readme.ts', suite, {
    'a README of another folder is that of a zip': ['place === home && pattern.test(name)', 'pattern.test(name)'],
    'the README of a zip is the first that stands in it': [
      'for (const [pattern, mediaType] of readmeNames)\n      for (const [path, bytes] of found) {',
      'for (const [path, bytes] of found)\n      for (const [pattern, mediaType] of readmeNames) {',
    ],
  }),
  ...bugsIn('shared/packages/nupkg/readme.ts', suite, {
    'the README of a nuspec of Windows is not found': ["?.replaceAll('\\\\', '/')", ''],
    'case counts in the path of a README': ['path.toLowerCase() === named', 'path === named'],
    'a description is better than a README': [
      '(metadata && (await namedReadme(file, metadata))) ?? (description ? markdown(description) : undefined)',
      '(description ? markdown(description) : undefined) ?? (metadata && (await namedReadme(file, metadata)))',
    ],
  }),
  ...bugsIn('functions/gems/readme.ts', suite, {
    'a README of a folder of a gem is that of the gem': [
      'deeper.length > 0 ? undefined : name',
      'deeper.at(-1) ?? name',
    ],
    'the metadata of a gem are its files': ["name === 'data.tar.gz'", "name === 'metadata.gz'"],
  }),
  ...bugsIn('functions/pypi/readme.ts', suite, {
    'an empty description is one': ['if (!text) return undefined;', ''],
    'the language of a description is not said': [
      'mediaTypes.get(type.toLowerCase()) ??',
      'mediaTypes.get(type.slice(0, 0)) ??',
    ],
    'what every object has is a media type': [
      'mediaTypes.get(type.toLowerCase())',
      'Object.fromEntries(mediaTypes)[type.toLowerCase()]',
    ],
  }),
  ...bugsIn('functions/pypi/page-forms.ts', 'functions/pypi/page-forms', {
    'what every object has is a form of a page': ['forms.get(type)', 'Object.fromEntries(forms)[type]'],
  }),
];
