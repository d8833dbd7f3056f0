import type { RunDetails, RunView } from '../../contract/server/run.ts';
import { progressTexts } from '../progress-texts.ts';
import { segmentCells, segmentJobs } from '../words/segment-cells.ts';
import '../style/segments.css';

interface Props {
  spread: NonNullable<RunView['spread']>;
  containers: RunDetails['containers'];
}

/** The segments of a spread run as a row that fills, and its jobs as text. */
export function SegmentRow({ spread, containers }: Props) {
  const texts = progressTexts.segments;
  const jobs = segmentJobs(spread, containers);
  return (
    <section class="segments" aria-labelledby="segments">
      <h2 id="segments">{texts.title}</h2>
      <span class="small quiet">{texts.done(spread.done, spread.segments)}</span>
      <div class="cells" aria-hidden="true">
        {segmentCells(spread).map(({ kind, percent }, index) => (
          <span key={index} class={kind}>
            <span style={{ width: `${percent}%` }} />
          </span>
        ))}
      </div>
      <ul class="small" hidden={jobs.length === 0}>
        {jobs.map(({ name, facts }) => (
          <li key={name}>
            {name} <span class="quiet">{facts}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
