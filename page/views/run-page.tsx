import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunDetails, RunView } from '../../contract/server/run.ts';
import { holdfast } from '../api/holdfast.ts';
import { tell } from '../state/notices.ts';
import { orTell } from '../state/or-tell.ts';
import { nowMs } from '../state/now.ts';
import { follow, go, listQuery, runPath } from '../state/route.ts';
import { takeUrls } from '../state/take-files.ts';
import { watchDetails } from '../state/run-details.ts';
import { can } from '../state/session.ts';
import { costWords } from '../words/cost-words.ts';
import { formatMoment, formatSpan, nameOfSource } from '../words/format.ts';
import { isActive, nameOfRun } from '../words/run-words.ts';
import { CancelButton } from './cancel-button.tsx';
import { CopyPanel } from './copy-panel.tsx';
import { IdWords } from './id-words.tsx';
import { NotifyChoice } from './list-tools.tsx';
import { PriorityChoice } from './priority-choice.tsx';
import { Results } from './results.tsx';
import { RunProgress } from './run-progress.tsx';
import { SegmentRow } from './segment-row.tsx';
import { ShareButton } from './share-button.tsx';
import { StatePill } from './state-pill.tsx';
import { TimelinePicture } from './timeline.tsx';
import { laterTexts } from '../later-texts.ts';
import { progressTexts } from '../progress-texts.ts';
import { texts } from '../texts.ts';
import '../style/run.css';

export function RunPage({ id }: { id: string }) {
  const watch = useMemo(() => watchDetails(id), [id]);
  useEffect(() => watch.stop, [watch]);
  const details = watch.details.value;
  return (
    <div class="stack">
      <a class="back" href={`/${listQuery.value}`} onClick={follow}>
        ← {laterTexts.run.back}
      </a>
      {details.state === 'loading' && <p class="quiet">{texts.loading}</p>}
      {details.state === 'failed' && (
        <div class="card" role="alert">
          <p>{details.status === 404 ? laterTexts.run.notFound : details.message}</p>
          <button type="button" onClick={() => void watch.reload()}>
            {texts.again}
          </button>
        </div>
      )}
      {details.state === 'ready' && <Run run={details.run} reload={() => void watch.reload()} />}
    </div>
  );
}

function Run({ run, reload }: { run: RunDetails; reload: () => void }) {
  const name = nameOfRun(run);
  useEffect(() => {
    document.title = `${texts.states[run.state]}: ${name} – ${texts.name}`;
    return () => (document.title = texts.name);
  }, [run.state, name]);
  const wasActive = useRef(false);
  useEffect(() => {
    if (wasActive.current && !isActive(run)) tell('said', `${name}: ${texts.states[run.state]}`);
    wasActive.current = isActive(run);
  }, [run.state]);
  return (
    <>
      <header class="run-head">
        <h1>{run.source === undefined ? <IdWords id={run.id} /> : name}</h1>
        <StatePill state={run.state} />
        <Actions run={run} />
      </header>
      {isActive(run) && (
        <section class="card" aria-label={progressTexts.progress.label}>
          <RunProgress run={run} />
          {run.spread !== undefined && run.spread.segments > 0 && (
            <SegmentRow spread={run.spread} containers={run.containers} />
          )}
        </section>
      )}
      {run.failure !== undefined && <Failure run={run} />}
      {run.result !== undefined && <Results run={run} reload={reload} />}
      <TimelinePicture run={run} />
      <Facts run={run} />
      <CopyPanel run={run} />
    </>
  );
}

function Actions({ run }: { run: RunDetails }) {
  const canChange = !isActive(run) && sourceForOtherRuns(run) !== undefined;
  const isStarting = useSignal(false);
  const runAgain = async (): Promise<void> => {
    // A second click would start a second run.
    if (isStarting.value) return;
    isStarting.value = true;
    await rerun(run);
    isStarting.value = false;
  };
  return (
    <div class="actions">
      {isActive(run) && <NotifyChoice />}
      {can('operate') && can('run') && isActive(run) && <PriorityChoice run={run} />}
      {can('run') && isActive(run) && <CancelButton count={1} onCancel={() => void cancel(run)} />}
      {can('run') && run.result !== undefined && run.files.length + run.archives.length > 0 && (
        <ShareButton id={run.id} />
      )}
      {can('run') && !isActive(run) && (
        <button type="button" aria-disabled={isStarting.value} onClick={() => void runAgain()}>
          {laterTexts.run.rerun}
        </button>
      )}
      {can('run') && canChange && (
        <button type="button" aria-haspopup="dialog" onClick={() => chooseResultsOf(run)}>
          {laterTexts.run.otherResults}
        </button>
      )}
      {run.webUrl !== undefined && (
        <a class="button" href={run.webUrl} target="_blank" rel="noreferrer">
          {laterTexts.run.webUi} ↗
        </a>
      )}
    </div>
  );
}

/** The source's URL, if other runs can use it: signed URLs come without their signature. */
function sourceForOtherRuns({ workflow, input }: RunDetails): string | undefined {
  const { sourceUrl } = input;
  return workflow === 'encode' && typeof sourceUrl === 'string' && !/^https?:/.test(sourceUrl) ? sourceUrl : undefined;
}

/** Opens the dialog for choosing results, which belongs to the list of runs. The filters could hide the new run. */
function chooseResultsOf(run: RunDetails): void {
  go('/');
  void takeUrls([sourceForOtherRuns(run) ?? ''], run);
}

const cancel = ({ id }: RunView): Promise<boolean> =>
  orTell(async () => {
    await holdfast.cancel(id);
    tell('done', laterTexts.selection.done(1, 'cancel'));
  });

const rerun = ({ id }: RunView): Promise<boolean> => orTell(async () => go(runPath((await holdfast.rerun(id)).id)));

function Failure({ run: { failure, state } }: { run: RunDetails }) {
  if (failure === undefined) return null;
  if (state === 'cancelled') return <p class="card quiet">{laterTexts.run.cancelled}</p>;
  const remedy = failure.type === undefined ? undefined : laterTexts.remedies[failure.type];
  return (
    <section class="card failure" aria-labelledby="failure">
      <h2 id="failure">{laterTexts.run.failed}</h2>
      <p>{failure.message}</p>
      {remedy !== undefined && (
        <p>
          <strong>{laterTexts.run.whatToDo}:</strong> {remedy}
        </p>
      )}
    </section>
  );
}

function segmentsOf({ result }: RunDetails): string | undefined {
  if (result === undefined || !('spread' in result) || result.spread === undefined) return undefined;
  const { segments, reason } = result.spread;
  return reason === undefined ? segments.toString() : laterTexts.run.oneSegment(reason);
}

/** URL of the source. The URL of an upload is random, and its name says more. */
function shownSource({ input: { sourceUrl } }: RunDetails): string | undefined {
  if (typeof sourceUrl !== 'string') return undefined;
  return sourceUrl.startsWith('upload:') ? laterTexts.run.uploaded(nameOfSource(sourceUrl)) : sourceUrl;
}

function usageFacts({ usage }: RunDetails): [string, string | undefined][] {
  if (usage === undefined) return [];
  const { cpuSeconds, cost, currency, providers = {} } = usage;
  const calls = Object.values(providers).reduce((sum, provider) => sum + provider.calls, 0);
  return [
    [laterTexts.run.cpu, cpuSeconds === undefined ? undefined : formatSpan(cpuSeconds)],
    [laterTexts.run.calls, calls === 0 ? undefined : calls.toString()],
    [laterTexts.run.cost, cost === undefined ? undefined : costWords(cost, currency ?? '')],
  ];
}

function Facts({ run }: { run: RunDetails }) {
  const endMs = run.endedAt === undefined ? nowMs.value : Date.parse(run.endedAt);
  const facts: [string, ComponentChildren][] = [
    [laterTexts.run.started, formatMoment(run.startedAt, nowMs.value)],
    [laterTexts.run.took, formatSpan((endMs - Date.parse(run.startedAt)) / 1000)],
    [laterTexts.run.owner, run.owner],
    [laterTexts.run.priority, run.priority?.toString()],
    [laterTexts.run.workflow, run.workflow],
    [laterTexts.run.segments, segmentsOf(run)],
    ...usageFacts(run),
    [laterTexts.run.source, shownSource(run)],
    ['Id', <IdWords id={run.id} />],
  ];
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">{laterTexts.run.facts}</h2>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
