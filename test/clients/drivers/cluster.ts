import { Upstream } from '../../harness/upstream.ts';

/** What the API of a cluster answers before anything is installed in it, by path. It knows config maps alone. */
const documents: Readonly<Record<string, unknown>> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [
      { name: 'configmaps', singularName: 'configmap', kind: 'ConfigMap', namespaced: true, verbs: ['create', 'get'] },
    ],
  },
  '/openapi/v3': { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' } } },
  // It says that the cluster validates what it is sent, so helm does not.
  '/openapi/v3/api/v1': {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.34.0' },
    paths: {
      '/api/v1/namespaces/{namespace}/configmaps/{name}': {
        patch: {
          'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'ConfigMap' },
          parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
          responses: {},
        },
      },
    },
  },
};

const notFound = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

/** Starts a server that stands for the API of an empty cluster, and returns its URL. It ends with the process. */
export const startCluster = async (): Promise<string> => {
  const cluster = new Upstream();
  cluster.answer = ({ method, url = '' }, response) => {
    const document = method === 'GET' ? documents[url.replace(/\?.*/, '')] : undefined;
    response.writeHead(document === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(document ?? notFound));
  };
  await cluster.start();
  cluster.unref();
  return cluster.url;
};
