import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { guardArguments, guardPath } from '../../../engine/ffmpeg/guard.ts';
import { findSandboxProblem, sandboxPath } from '../../../engine/ffmpeg/sandbox.ts';
import { TestContainer } from '../../support/container.ts';
import { speechWav } from '../../support/media.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const perl = spawnSync('perl', ['-e', 'print $^X']).stdout.toString();

const folder = useFolder();

/**
 * Runs an attack by an ffmpeg that a hostile file has taken over. Perl replaces it, because Perl can make any system
 * call.
 */
async function attack(script: string, setting: 'auto' | 'off', path = process.env['PATH'], writableFolder?: string) {
  const limits = { maxOutputBytes: 1000, maxCpuSeconds: 5, ...(writableFolder !== undefined && { writableFolder }) };
  const args = [...guardArguments('ffmpeg', limits), '-e', script];
  const env = { PATH: path, FFMPEG_PATH: perl, FFMPEG_SANDBOX: setting };
  const running = promisify(execFile)(guardPath, args, { env });
  return await running.then(
    ({ stdout }) => ({ stdout, signal: null }),
    ({ stdout, signal }: { stdout: string; signal: string | null }) => ({ stdout, signal }),
  );
}

const refused = { stdout: 'Operation not permitted', signal: null };

test('code that takes over ffmpeg runs under a system call filter', async () => {
  expect(await findSandboxProblem()).toBeUndefined();
  const status = 'open(F, "<", "/proc/self/status"); print grep { /^Seccomp:|^NoNewPrivs:/ } <F>';
  expect(await attack(status, 'auto')).toEqual({ stdout: 'NoNewPrivs:\t1\nSeccomp:\t2\n', signal: null });
});

test("ffmpeg inherits nothing from the container's environment", async () => {
  const { stdout } = await attack('print join " ", sort keys %ENV', 'auto');
  expect(stdout).toBe('FONTCONFIG_FILE LC_ALL PATH');
});

/** Asks with Landlock's own call, whose number is equal on all processors. */
const hasLandlock = spawnSync('perl', ['-e', 'exit(syscall(444, 0, 0, 1) > 0 ? 0 : 1)']).status === 0;

describe('code that takes over ffmpeg', () => {
  test.each([
    ['reaches no network', 'use Socket; print socket(my $s, PF_INET, SOCK_STREAM, 0) ? "done" : $!', refused],
    [
      'reaches no server by its file',
      'use Socket; print socket(my $s, PF_UNIX, SOCK_STREAM, 0) ? "done" : $!',
      refused,
    ],
    ['starts no process', '$p = fork; exit if defined $p && !$p; print defined $p ? "done" : $!', refused],
    ['ends no other process', 'print kill(0, getppid) ? "done" : $!', refused],
    // The kernel would send the pipe's owner any signal, including SIGKILL. 8 is F_SETOWN.
    ['makes no other process the owner of a pipe', 'pipe(R, W); print fcntl(R, 8, getppid) ? "done" : $!', refused],
    // 302 and 261 are prlimit64, which could limit another process to a second of processor time.
    [
      'sets no limits of other processes',
      'use Config; print syscall($Config{archname} =~ /x86/ ? 302 : 261, getppid, 0, 0, 0) == 0 ? "done" : $!',
      refused,
    ],
    [
      'leaves no shared memory behind',
      'my $id = shmget(0, 1, 0600); print defined $id ? "done" : $!; shmctl($id, 0, 0) if defined $id',
      refused,
    ],
    ['starts no program', 'exec "echo", "-n", "done"; print $!', { stdout: '', signal: 'SIGSYS' }],
  ])('%s', async (_title, script, expected) => {
    expect(await attack(script, 'auto')).toEqual(expected);
    // Proves that the attack works without the sandbox.
    expect(await attack(script, 'off')).toEqual({ stdout: 'done', signal: null });
  });

  // Root could, by a capability for which the kernel does not ask Landlock.
  test.skipIf(!hasLandlock)("does not read its container's environment", async () => {
    const read = 'print open(F, "<", "/proc/" . getppid . "/environ") ? "done" : $!';
    expect(await attack(read, 'auto')).toEqual({ stdout: 'Permission denied', signal: null });
    expect(await attack(read, 'off')).toEqual({ stdout: 'done', signal: null });
  });

  // With Yama, a process cannot inspect its parent anyway.
  test.skipIf(!hasLandlock)("does not get at its container's memory", async () => {
    const write = 'print open(F, "+<", "/proc/" . getppid . "/mem") ? "done" : $!';
    expect(await attack(write, 'auto')).toEqual({ stdout: 'Permission denied', signal: null });
  });
});

/** Landlock's refusal, and that of the system call filter. */
const denied = { stdout: 'Permission denied', signal: null };

describe.skipIf(!hasLandlock)('code that takes over ffmpeg, with regard to files,', () => {
  /**
   * Lays out a job's folders: ffmpeg may write in `made`, and `fetched/input` is a hard link to a file of MEDIA_ROOT.
   */
  async function layOut(): Promise<string> {
    const root = await mkdtemp(join(folder, 'files-'));
    for (const name of ['media', 'fetched', 'made', 'other-job']) await mkdir(join(root, name));
    await writeFile(join(root, 'media/film'), 'as it was', { mode: 0o644 });
    await link(join(root, 'media/film'), join(root, 'fetched/input'));
    await writeFile(join(root, 'other-job/output'), 'as it was');
    await writeFile(join(root, 'made/begun'), 'begun');
    return root;
  }

  test.each([
    ["does not write into a job's source", 'print open(F, "+<", "fetched/input") ? "done" : $!', denied],
    ['does not write into a file of MEDIA_ROOT', 'print open(F, ">>", "media/film") ? "done" : $!', denied],
    ['makes no file in MEDIA_ROOT', 'print open(F, ">", "media/new") ? "done" : $!', denied],
    ['removes no file of MEDIA_ROOT', 'print unlink("media/film") ? "done" : $!', denied],
    ['puts no file in the place of another', 'print rename("made/begun", "media/film") ? "done" : $!', denied],
    ['makes no folder', 'print mkdir("made/new") ? "done" : $!', denied],
    ["does not touch another job's folder", 'print open(F, ">", "other-job/output") ? "done" : $!', denied],
    [
      'has nothing else read in the place of its output',
      'print symlink("/etc/passwd", "made/output-0") ? "done" : $!',
      denied,
    ],
    ['takes a file by no further name', 'print link("media/film", "made/link") ? "done" : "refused"', 'refused'],
    ['has the kernel spare no process', 'print open(F, ">", "/proc/self/oom_score_adj") ? "done" : $!', denied],
    [
      'cuts no file off that it opens to read',
      'use Fcntl; print sysopen(F, "media/film", O_RDONLY | O_TRUNC) ? "done" : $!',
      refused,
    ],
    ['cuts no file off', 'print truncate("media/film", 0) ? "done" : $!', refused],
    ['changes no modes', 'print chmod(0, "media/film") ? "done" : $!', refused],
    ['changes no times', 'print utime(0, 0, "media/film") ? "done" : $!', refused],
    // FS_IOC_SETFLAGS with FS_NODUMP_FL, FS_IOC_ENABLE_VERITY and `file_setattr`, which a disk or kernel may lack. 1 is
    // EPERM.
    [
      'changes no flags',
      'open(F, "media/film"); my $f = pack("l", 0x40); ioctl(F, 0x40086602, $f); print $! == 1 ? $! : "done"',
      refused,
    ],
    [
      'makes no file unchangeable',
      'open(F, "media/film"); my $v = "\\0" x 128; ioctl(F, 0x40806685, $v); print $! == 1 ? $! : "done"',
      refused,
    ],
    [
      'changes no attributes',
      'my ($f, $a) = ("media/film", pack("Q L4", 0x80)); syscall(469, -100, $f, $a, 24, 0); print $! == 1 ? $! : "done"',
      refused,
    ],
  ])('%s', async (_title, script, expected) => {
    const result = typeof expected === 'string' ? { stdout: expected, signal: null } : expected;
    const root = await layOut();
    const inRoot = `chdir("${root}"); ${script}`;
    expect(await attack(inRoot, 'auto', undefined, join(root, 'made'))).toEqual(result);
    expect(await readFile(join(root, 'media/film'), 'utf8')).toBe('as it was');
    // Proves that the attack works without the sandbox.
    expect(await attack(inRoot, 'off')).toEqual({ stdout: 'done', signal: null });
  });

  const write = (root: string) => `
    my $is_done = open(F, ">", "${root}/made/begun") && open(F, ">", "${root}/made/new")
      && rename("${root}/made/new", "${root}/made/newer") && unlink("${root}/made/newer") && open(F, ">", "/dev/null");
    print $is_done ? "done" : $!`;

  test('writes and removes its own files in its folder', async () => {
    const root = await layOut();
    expect(await attack(write(root), 'auto', undefined, join(root, 'made'))).toEqual({ stdout: 'done', signal: null });
  });

  test('writes nowhere if it needs no files, as in ffprobe', async () => {
    const root = await layOut();
    expect(await attack(write(root), 'auto')).toEqual(denied);
  });
});

/** Makes a Perl for which the kernel appears to lack 444, Landlock's first call. Uses x86-64 numbers. */
async function perlWithoutLandlock(path: string): Promise<void> {
  const script = `
    my $filter = pack('(S C C L)*', 0x20, 0, 0, 0, 0x15, 0, 1, 444, 6, 0, 0, 0x50026, 6, 0, 0, 0x7FFF0000);
    syscall(157, 38, 1, 0, 0, 0);
    syscall(317, 1, 0, pack('S x6 P', 4, $filter));
    exec { $ARGV[0] } @ARGV;`;
  await writeFile(`${path}.script`, script);
  await writeFile(path, `#!/bin/sh\nexec ${perl} ${path}.script ${perl} "$@"\n`, { mode: 0o755 });
}

test.skipIf(process.arch !== 'x64')(
  'the filter applies on a kernel without Landlock, and one line reports it',
  async () => {
    const bin = await mkdtemp(join(folder, 'bin-'));
    await perlWithoutLandlock(join(bin, 'perl'));
    const path = `${bin}${delimiter}${process.env['PATH']}`;
    const container = await TestContainer.start({ PATH: path });
    try {
      const told = container.process.output.match(/ffmpeg's sandbox protects in part: the kernel has no Landlock/g);
      expect(told).toHaveLength(1);
    } finally {
      await container.stop();
    }
    expect(await attack('print kill(0, getppid) ? "done" : $!', 'auto', path)).toEqual(refused);
  },
);

test('a container whose Perl does not work reports it once, and encodes', async () => {
  await writeFile(join(folder, 'perl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const container = await stopAfterTest(TestContainer.start({ PATH: `${folder}${delimiter}${process.env['PATH']}` }));
  await copyFile(speechWav, join(container.mediaRoot, 'in.wav'));
  const outputs = [{ format: 'mp3_64', uploadUrl: container.fileUrl('out.mp3') }];
  const answer = await container.call('POST', '/encode', { sourceUrl: container.fileUrl('in.wav'), outputs });
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  await container.process.untilLogged(/^\[JOB_END\]/);
  const told = container.process.output.match(/ffmpeg runs without its sandbox: there is no Perl that works\./g);
  expect(told).toHaveLength(1);
});

/** Headers of Debian's linux-libc-dev by processor. */
const headers = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm-generic/unistd.h'];

test.skipIf(!headers.every(existsSync))("the system call numbers match the kernel's", () => {
  const defined = headers.map((path) => {
    const lines = readFileSync(path, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm);
    return new Map([...lines].map(([, name, number]) => [name, Number(number)]));
  });
  const table = [...readFileSync(sandboxPath, 'utf8').matchAll(/(\w+) => \[(\d+), (\d+|undef)\]/g)];
  expect(table.length).toBeGreaterThan(60);
  const newest = Math.max(...(defined.at(-1)?.values() ?? []));
  for (const [, name, ...numbers] of table) {
    const meant = numbers.map((number) => (number === 'undef' ? undefined : Number(number)));
    // The call is newer than these headers.
    if (Math.max(...meant.map((number) => number ?? 0)) > newest) continue;
    expect([name, ...meant]).toEqual([name, ...defined.map((calls) => calls.get(name))]);
  }
});
