import { type LinesMaker, lines } from '../../shared/package-lines.ts';

/** What the console tells people to paste. */
export const linesToPaste: LinesMaker = ({ at, name, version }, words) => {
  const [group, artifact = '<artifact>'] = name.includes(':') ? name.split(':') : ['<group>'];
  return [
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
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
    ),
    lines(
      `mvn · ${words.publish}`,
      `mvn deploy:deploy-file -Durl=${at} -DrepositoryId=stockroom -DgroupId=${group} -DartifactId=${artifact} -Dversion=${version} -Dfile=<file>`,
    ),
  ];
};

/** The upstream that the console offers for a remote repository. */
export const publicUpstream = 'https://repo.maven.apache.org/maven2/';
