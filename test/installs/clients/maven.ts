import { join } from 'node:path';
import { settings } from '../../clients/drivers/maven.ts';
import { commandVersion } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { filesIn } from './packages.ts';

const springBoot = 'org.springframework.boot';

/** The libraries of a web application with three databases, in the versions of Spring Boot: with Maven's plugins about 200 jars and 380 POMs. */
const libraries = [
  ...['actuator', 'data-jpa', 'data-mongodb', 'data-redis', 'security', 'thymeleaf', 'validation', 'web', 'test'].map(
    (name) => [springBoot, `spring-boot-starter-${name}`] as const,
  ),
  ['org.flywaydb', 'flyway-core'] as const,
  ['org.postgresql', 'postgresql'] as const,
];

const pom = `<project>
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>${springBoot}</groupId><artifactId>spring-boot-starter-parent</artifactId><version>3.5.0</version><relativePath/>
  </parent>
  <groupId>org.acme</groupId>
  <artifactId>app</artifactId>
  <version>1</version>
  <dependencies>
    ${libraries.map(([groupId, artifactId]) => `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId></dependency>`).join('\n    ')}
  </dependencies>
  <build><plugins><plugin><groupId>${springBoot}</groupId><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build>
</project>`;

const program = `package org.acme;

@org.springframework.boot.autoconfigure.SpringBootApplication
public class App {
  public static void main(String[] arguments) {
    org.springframework.boot.SpringApplication.run(App.class, arguments);
  }
}
`;

const registry = 'https://repo.maven.apache.org/maven2';

export const maven: Client = {
  name: 'mvn',
  packageType: 'maven',
  registry,
  hosts: ['repo.maven.apache.org'],
  prepare: () => commandVersion('mvn'),
  commandsIn: (sandbox, { url, token }) => {
    const own = token === undefined ? '<settings/>' : settings({ url, token });
    sandbox.write({
      'project/pom.xml': pom,
      'project/src/main/java/org/acme/App.java': program,
      'home/settings.xml': own,
    });
    const places = ['-s', join(sandbox.home, 'settings.xml'), `-Dmaven.repo.local=${join(sandbox.home, 'repository')}`];
    return [{ file: 'mvn', parameters: ['-B', '-ntp', ...places, '-DskipTests', 'package'] }];
  },
  packagesIn: ({ home }) => filesIn(home, 'repository/**/*.{jar,pom}'),
};
