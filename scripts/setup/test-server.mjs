import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { cachedProgram } from './go-install.mjs';
import { withFolderAside } from './folder-aside.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, namedByVariable, onPath } from './places.mjs';
import { sdkDownload } from './sdk-download.mjs';
import { SetupError } from './setup-error.mjs';
import { runQuietly, step } from './step.mjs';

const version = '1.31.0';

/** The server's jar files with a script that runs them; suffix 1 added an archive of its classes. */
const overJava = () => cachedProgram('temporal-test-server', `${version}-1`);
/** Native program that the SDK downloads. */
const native = () => cachedProgram('temporal-test-server', 'sdk');

/** Path of Temporal's time-skipping test server, which passes an hour of waiting in half a second, or undefined. */
export function findTestServer() {
  const named = namedByVariable('TEMPORAL_TEST_SERVER_PATH');
  if (named !== undefined) return named;
  if (isExecutableFile(overJava()) && hasJava()) return overJava();
  return isExecutableFile(native()) ? native() : undefined;
}

export async function fetchTestServer(node) {
  return await withLock(join(cacheFolder(), 'temporal-test-server.lock'), "Temporal's test server", async () => {
    if (!(hasJava() && onPath('mvn') !== undefined) && canUseApt()) {
      await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', () =>
        aptInstall(['default-jre-headless', 'maven'], 'Java and Maven'),
      );
    }
    if (isExecutableFile(overJava()) && hasJava()) return overJava();
    if (hasJava() && onPath('mvn') !== undefined) {
      await fetchByMaven(overJava());
      return overJava();
    }
    if (await sdkDownload(node, 'time-skipping', `v${version}`, native())) return native();
    throw new SetupError(
      "Temporal's test server is missing: there is no Java with Maven here, and the SDK's own download did not work. " +
        'Install both (Debian and Ubuntu: sudo apt-get install default-jre-headless maven), or name the server in TEMPORAL_TEST_SERVER_PATH, ' +
        'and run the command again.',
    );
  });
}

/** Looks for java like the script below. */
function hasJava() {
  const home = process.env.JAVA_HOME;
  return (Boolean(home) && isExecutableFile(join(home, 'bin', 'java'))) || onPath('java') !== undefined;
}

const mainClass = 'io.temporal.testserver.TestServer';
const archive = 'classes.jsa';

/** Seconds in which the server starts even on a slow machine. */
const startSeconds = 15;

/**
 * Java starts several times faster from an archive of the classes of a first start. Without it, a loaded machine misses
 * the 5 seconds that the SDK waits. If it cannot be made (an old Java, no `timeout`), the server starts without it.
 */
async function archiveClasses(folder) {
  const options = `-XX:ArchiveClassesAtExit=${archive} -XX:+UseSerialGC -cp 'lib/*'`;
  const java = '"$([ -x "$JAVA_HOME/bin/java" ] && echo "$JAVA_HOME/bin/java" || echo java)"';
  const command = `timeout -s TERM ${startSeconds} ${java} ${options} ${mainClass} 0`;
  await runQuietly('sh', ['-c', command], process.env, folder);
}

async function fetchByMaven(program) {
  await withFolderAside('temporal-test-server-', async (aside) => {
    const project =
      '<project><modelVersion>4.0.0</modelVersion><groupId>holdfast</groupId><artifactId>test-server</artifactId><version>1</version>' +
      `<dependencies><dependency><groupId>io.temporal</groupId><artifactId>temporal-test-server</artifactId><version>${version}</version></dependency></dependencies></project>`;
    writeFileSync(join(aside, 'pom.xml'), project);
    await step({
      title: "Fetching Temporal's test server with Maven",
      expected: 'about 10 seconds',
      command: 'mvn',
      args: ['-q', '-B', '--strict-checksums', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
      folder: aside,
      remedy:
        'Name the server in TEMPORAL_TEST_SERVER_PATH, or see to it that Maven can fetch, and run the command again.',
    });
    const script = join(aside, 'temporal-test-server');
    writeFileSync(
      script,
      [
        '#!/bin/sh',
        'java="$JAVA_HOME/bin/java"',
        '[ -x "$java" ] || java=java',
        // The archive knows its classes by this relative path.
        'cd "$(dirname "$0")" || exit 1',
        `exec "$java" -XX:+UseSerialGC $([ -f ${archive} ] && echo -XX:SharedArchiveFile=${archive}) -cp 'lib/*' ${mainClass} "$@"`,
        '',
      ].join('\n'),
    );
    chmodSync(script, 0o755);
    await archiveClasses(aside);
    const folder = join(program, '..');
    mkdirSync(join(folder, '..'), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
  });
}
