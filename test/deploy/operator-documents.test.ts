import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { searchAttributeTypes } from '../../contract/search-attributes.ts';
import { auditVerdicts } from '../../server/http/audit-verdicts.ts';
import { workerRoles } from '../../worker/roles.ts';
import { documents } from '../support/documents.ts';
import { run } from '../support/process.ts';
import { textOf } from '../support/project-files.ts';
import { toolPath } from '../support/tools.ts';

// Commands and tables that operators copy from the documents.

const temporal = await toolPath('TEMPORAL_CLI_PATH');
const observability = textOf('docs/observability.md');

interface ScrapeConfigs {
  scrape_configs: { job_name: string; metrics_path?: string }[];
}

test('the commands of docs/temporal-cloud.md register all search attributes by their types', () => {
  const registered = textOf('docs/temporal-cloud.md').matchAll(/--search-attribute (\w+)=(\w+)/g);
  expect(Object.fromEntries([...registered].map(([, name = '', type = '']) => [name, type]))).toEqual(
    searchAttributeTypes,
  );
});

test('each command of Temporal’s command line in a document exists, with its options', async () => {
  const commands = documents().flatMap((path) =>
    [...textOf(path).matchAll(/(?:^ *|`)temporal ((?:[a-z][a-z-]* ?)+)((?:\\\n|[^`\n|\\])*)/gm)].map(
      ([, words = '', rest = '']) => ({ words: words.trim(), options: rest.match(/(?<= )--[a-z-]+/g) ?? [] }),
    ),
  );
  expect(commands.length).toBeGreaterThan(5);
  const known = new Map<string, Promise<string>>();
  const helpOf = async (words: string): Promise<string> =>
    (await run(temporal, [...words.split(' '), '--help'])).output;
  for (const { words, options } of commands) {
    if (!known.has(words)) known.set(words, helpOf(words));
    const help = await known.get(words);
    for (const part of [`temporal ${words} [flags]`, ...options]) expect(help).toContain(part);
  }
});

test('docs/deploys.md has a row for each role of a worker', () => {
  const [, roles = ''] = textOf('docs/deploys.md').split('\n## Roles\n');
  const rows = [...roles.matchAll(/^\| `(\w+)` /gm)].map(([, role]) => role);
  expect(new Set(rows)).toEqual(new Set(workerRoles));
});

test('docs/observability.md scrapes the jobs and paths of compose.yaml, whose names the rules use', () => {
  const [, block = ''] = /^```yaml\n(scrape_configs:\n[^`]+)```$/m.exec(observability) ?? [];
  const shown = (text: string): object[] =>
    (parse(text) as ScrapeConfigs).scrape_configs.map(({ job_name, metrics_path }) => ({ job_name, metrics_path }));
  expect(shown(block)).toEqual(shown(textOf('deploy/observability/compose/prometheus.yml')));
});

test('the objectives of docs/observability.md are those of the rules', () => {
  const rows = [...observability.matchAll(/^\| `(\w+)` +\| (\d+) % /gm)].map(([, slo, share]) => [slo, Number(share)]);
  const rules = textOf('deploy/observability/alerts.yml');
  const budgets = rules.matchAll(/slo_budget:ratio', labels: \{ slo: (\w+) \}, expr: vector\(([\d.]+)\)/g);
  expect(rows).toEqual([...budgets].map(([, slo, budget]) => [slo, 100 - 100 * Number(budget)]));
  expect(observability).toContain('The error budget is the share that may miss the objective: 1 %, 5 %, 5 %.');
  const [, fast = '', slow = ''] =
    /BurnsFast \| ([\d.]+) times the allowed, or ([\d.]+) times/.exec(observability) ?? [];
  const rates = [...rules.matchAll(/ratio_rate\w+ > ([\d.]+) \* holdfast:slo_budget/g)].map(([, rate]) => rate);
  expect(rates).toEqual([fast, fast, slow, slow]);
});

test('docs/observability.md names only actions that the audit log has', () => {
  const actions = new Set(Object.values(auditVerdicts).map((verdict) => ('action' in verdict ? verdict.action : '')));
  const [, section = ''] = observability.split('\n### Audit log\n');
  const [rows = ''] = section.split('\n## ');
  const [, shown = ''] = /^\| `action`, `target` \| such as `([\w.]+)`/m.exec(rows) ?? [];
  expect([...actions]).toContain(shown);
  const command = textOf('docs/disaster-recovery.md').matchAll(/\.action == "([\w.]+)"/g);
  const selected = [...command].map(([, action = '']) => action);
  expect(selected).toEqual(['run.start', 'run.rerun']);
  expect(selected.filter((action) => !actions.has(action))).toEqual([]);
});

test('the trial of docs/kubernetes.md creates the secrets that the local overlay requires', () => {
  const [, trial = ''] = textOf('docs/kubernetes.md').split('\n## Try it\n');
  const [commands = ''] = trial.split('\n## ');
  const base = ['encoder', 'workflows', 'server'].map((name) => textOf(`deploy/kubernetes/base/${name}.yaml`)).join('');
  const keys = [...base.matchAll(/secretKeyRef: \{ name: ([\w-]+), key: ([\w-]+) \}/g)];
  const files = [...base.matchAll(/secretName: ([\w-]+), items: \[\{ key: ([\w.-]+),/g)];
  for (const [option, required] of [['literal', keys] as const, ['file', files] as const]) {
    expect(required).not.toEqual([]);
    for (const [, name, key] of required)
      expect(commands).toMatch(new RegExp(`secret generic ${name} (?:[^\\n]*\\\\\\n)?[^\\n]*--from-${option}=${key}`));
  }
});
