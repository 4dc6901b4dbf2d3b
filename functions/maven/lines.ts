import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => [
  lines(
    '~/.m2/settings.xml',
    '<settings>',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Maven reads the variable.
    '  <servers><server><id>stockroom</id><username>token</username><password>${env.STOCKROOM_TOKEN}</password></server></servers>',
    `  <mirrors><mirror><id>stockroom</id><mirrorOf>*</mirrorOf><url>${at}</url></mirror></mirrors>`,
    '</settings>',
  ),
  lines(
    `pom.xml · ${words.install}`,
    `<dependency><groupId>${name.split(':')[0]}</groupId><artifactId>${name.split(':')[1] ?? ''}</artifactId><version>${version}</version></dependency>`,
  ),
];

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://repo.maven.apache.org/maven2/';
