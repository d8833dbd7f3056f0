import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboard, panels } from '../../../deploy/observability/dashboard.ts';
import { anchorOf, headingsOf } from '../../support/documents.ts';
import { useFolder } from '../../support/folder.ts';
import { run } from '../../support/process.ts';
import { projectRoot, textOf } from '../../support/project-files.ts';
import { toolPath } from '../../support/tools.ts';

const promtool = await toolPath('PROMTOOL_PATH');
const folder = join(projectRoot, 'deploy/observability');
const scratch = useFolder();

async function promtoolSays(...args: string[]): Promise<{ code: number | null; output: string }> {
  // Minutes of rules over days are seconds of work, but the machine may be busy.
  return await run(promtool, args, { cwd: folder, timeoutMs: 400_000 });
}

test('the rules load, and each alert fires when it should and at no other time', async () => {
  expect(await promtoolSays('check', 'rules', 'alerts.yml')).toMatchObject({ code: 0 });
  expect(await promtoolSays('check', 'config', '--syntax-only', 'compose/prometheus.yml')).toMatchObject({ code: 0 });
  expect(await promtoolSays('test', 'rules', 'alerts.test.yml', 'objectives.test.yml')).toMatchObject({ code: 0 });
});

test('each objective is measured alike over every window', () => {
  const { groups } = parse(textOf('deploy/observability/alerts.yml')) as {
    groups: { rules: { record?: string; labels?: { slo?: string }; expr: string }[] }[];
  };
  const shapes: Record<string, Set<string>> = {};
  const windows: Record<string, string[]> = {};
  for (const { record = '', labels, expr } of groups.flatMap(({ rules }) => rules)) {
    const window = /^holdfast:slo_errors:ratio_rate(\w+)$/.exec(record)?.[1];
    if (window === undefined) continue;
    const slo = labels?.slo ?? '';
    // Only the window and the least number of events differ.
    const shape = expr.replaceAll(`[${window}]`, '[window]').replace(/> \d+\)$/, '> least)');
    (shapes[slo] ??= new Set()).add(shape);
    (windows[slo] ??= []).push(window);
  }
  expect(Object.keys(shapes)).toEqual(['runs', 'wait', 'resume']);
  for (const one of Object.values(shapes)) expect([...one]).toHaveLength(1);
  for (const one of Object.values(windows)) expect(one).toEqual(['5m', '30m', '1h', '6h', '3d', '28d']);
});

test('each query of the dashboard parses, and the file equals the output of its source', async () => {
  const checked = panels.flatMap(({ queries }, panel) =>
    queries.map(([expression], query) => ({
      record: `panel:${panel}:query${query}`,
      expr: expression.replaceAll('$__rate_interval', '5m'),
    })),
  );
  const path = join(scratch, 'panels.yml');
  await writeFile(path, JSON.stringify({ groups: [{ name: 'panels', rules: checked }] }));
  expect(await promtoolSays('check', 'rules', path)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8'))).toEqual(dashboard());
});

test('each quantile of a panel keeps the buckets of its histogram apart', () => {
  const quantiles = panels.flatMap(({ queries }) =>
    queries.map(([expression]) => expression).filter((expression) => expression.includes('histogram_quantile')),
  );
  expect(quantiles.length).toBeGreaterThan(1);
  expect(quantiles.filter((expression) => !/sum by \(le\b/.test(expression))).toEqual([]);
});

/** Two containers of which one works, and three keys: one that is throttled, one whose calls fail, and a silent one. */
const scraped = {
  'holdfast_active_jobs{instance="a"}': 1,
  'holdfast_active_jobs{instance="b"}': 0,
  'holdfast_slots{instance="a"}': 1,
  'holdfast_slots{instance="b"}': 1,
  'holdfast_limiter_throttled{key="p/throttled"}': 1,
  'holdfast_limiter_throttled{key="p/failing"}': 0,
  'holdfast_limiter_breaker_open{key="p/throttled"}': 0,
  'holdfast_limiter_breaker_open{key="p/failing"}': 1,
  'holdfast_limiter_up{key="p/throttled"}': 1,
  'holdfast_limiter_up{key="p/failing"}': 1,
  'holdfast_limiter_up{key="p/silent"}': 0,
};

test.each<[title: string, samples: Record<string, number>[]]>([
  ['Containers at work', [{ '{}': 0.5 }]],
  [
    'Providers held back',
    [
      { '{key="p/throttled"}': 1, '{key="p/failing"}': 0 },
      { '{key="p/throttled"}': 0, '{key="p/failing"}': 1 },
      { '{key="p/throttled"}': 0, '{key="p/failing"}': 0, '{key="p/silent"}': 1 },
    ],
  ],
])('the panel "%s" shows what its metrics say', async (title, samples) => {
  const { queries = [] } = panels.find((panel) => panel.title === title) ?? {};
  const shown = queries.map(([expr], query) => ({
    expr,
    eval_time: '5m',
    exp_samples: Object.entries(samples[query] ?? {}).map(([labels, value]) => ({ labels, value })),
  }));
  const series = Object.entries(scraped).map(([name, value]) => ({ series: name, values: `${value}x10` }));
  const path = join(scratch, 'panel.test.yml');
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: shown }];
  await writeFile(path, JSON.stringify({ rule_files: [], tests }));
  expect(await promtoolSays('test', 'rules', path)).toMatchObject({ code: 0 });
});

test('each panel of times or bytes has the unit of its metrics', () => {
  const units = { '_seconds(?:_bucket)?': 's', _latency_bucket: 'ms', _bytes: 'bytes', _bytes_total: 'Bps' };
  const measured = Object.entries(units).flatMap(([end, unit]) =>
    panels
      .filter(({ queries }) => queries.some(([expression]) => new RegExp(`${end}\\b`).test(expression)))
      .map((panel) => ({ title: panel.title, shown: panel.unit, unit })),
  );
  expect(measured.length).toBeGreaterThan(5);
  expect(measured.filter(({ shown, unit }) => shown !== unit)).toEqual([]);
});

test('each alert has its own section in docs/observability.md', () => {
  const rules = textOf('deploy/observability/alerts.yml');
  const anchors = new Set(headingsOf(textOf('docs/observability.md')).map(({ text }) => anchorOf(text)));
  const runbooks = [...rules.matchAll(/runbook: docs\/observability\.md#(\S+)/g)].map(([, anchor]) => anchor);
  const alerts = [...rules.matchAll(/- alert: (\S+)/g)].map(([, name = '']) => name.toLowerCase());
  expect(runbooks).toEqual(alerts);
  expect(alerts.filter((name) => !anchors.has(name))).toEqual([]);
});
