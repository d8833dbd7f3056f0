import { findGoProgram, goInstall } from './go-install.mjs';

/** Programs that set-up builds with Go for the tests. The key is the variable by which a person names one. */
const programs = {
  ACTIONLINT_PATH: {
    name: 'actionlint',
    module: 'github.com/rhysd/actionlint/cmd/actionlint',
    version: 'v1.7.7',
    title: 'Building actionlint, which checks the workflows of GitHub Actions for the tests, with Go',
    takes: 'half a minute',
  },
  FAKE_GCS_PATH: {
    name: 'fake-gcs-server',
    module: 'github.com/fsouza/fake-gcs-server',
    version: 'v1.56.0',
    asksVersion: ['-help'],
    title: 'Building fake-gcs-server, the Google Cloud Storage of the tests, with Go',
    takes: '2 minutes',
  },
  KUSTOMIZE_PATH: {
    name: 'kustomize',
    module: 'sigs.k8s.io/kustomize/kustomize/v5',
    version: 'v5.7.1',
    asksVersion: ['version'],
    title: 'Building kustomize, which builds the manifests for the tests, with Go',
    takes: '2 minutes',
  },
  TOXIPROXY_PATH: {
    name: 'toxiproxy-server',
    // Go names a program after its folder.
    builtName: 'server',
    module: 'github.com/Shopify/toxiproxy/v2/cmd/server',
    version: 'v2.12.0',
    title: 'Building toxiproxy, which breaks connections for the tests, with Go',
    takes: 'a minute',
  },
  VERSITYGW_PATH: {
    name: 'versitygw',
    module: 'github.com/versity/versitygw/cmd/versitygw',
    version: 'v1.8.0',
    title: 'Building versitygw, the second S3 server of the tests, with Go',
    takes: '2 minutes',
  },
};

/** Finds and builds each of these programs, by its variable. */
export const goTools = Object.fromEntries(
  Object.entries(programs).map(([variable, { takes, ...program }]) => {
    const { name, version } = program;
    const expected = `about ${takes}, once on this machine`;
    const remedy = `Install ${name} so that it is on PATH, or name it in ${variable}, and run the command again.`;
    const find = () => findGoProgram(variable, name, version);
    return [variable, { find, make: () => goInstall({ ...program, expected, remedy }) }];
  }),
);
