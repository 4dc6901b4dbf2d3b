import { commandVersion } from '../../clients/drivers/tools.ts';
import type { Client } from '../client.ts';
import { filesIn } from './packages.ts';

/** A client of Kubernetes: about 60 modules. */
const manifest = `module app.example/app

go 1.26

require k8s.io/client-go v0.37.2
`;

const program = `package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", "")
	if err != nil {
		panic(err)
	}
	kubernetes.NewForConfigOrDie(config)
}
`;

const certificateFile = 'certificate.pem';

export const go: Client = {
  name: 'go',
  packageType: 'go',
  registry: 'https://proxy.golang.org',
  hosts: ['proxy.golang.org'],
  isOverTls: true,
  prepare: () => commandVersion('go', 'version'),
  commandsIn: (sandbox, { url, token, certificate }) => {
    sandbox.write({ 'project/go.mod': manifest, 'project/main.go': program });
    if (token !== undefined)
      sandbox.write({ 'home/.netrc': `machine ${new URL(url).host} login token password ${token}\n` });
    if (certificate !== undefined) sandbox.write({ [`home/${certificateFile}`]: certificate });
    const variables = {
      GOPROXY: url,
      GOTOOLCHAIN: 'local',
      // Without it, nobody could delete the modules.
      GOFLAGS: '-modcacherw',
      ...(certificate !== undefined && { SSL_CERT_FILE: `${sandbox.home}/${certificateFile}` }),
    };
    // It downloads all that the program and the tests of its libraries import, and compiles nothing.
    return [{ file: 'go', parameters: ['mod', 'tidy'], variables }];
  },
  packagesIn: ({ home }) => filesIn(home, 'go/pkg/mod/cache/download/**/*.zip'),
};
