import { type Attributes, context, type Context, type Link, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  extractContextFromHeaders,
  headersWithContext,
  TRACE_HEADER,
} from '@temporalio/interceptors-opentelemetry-v2/lib/instrumentation.js';
import {
  OpenTelemetryInternalsInterceptor,
  OpenTelemetryOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry-v2/lib/workflow/index.js';
import { ContinueAsNew, type Headers, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { limiterWorkflowType } from '../../contract/limiter.ts';
import { messageOf } from '../../contract/unknown-values.ts';

/** Span of the run that continued as this one, in the format of the trace header. */
const formerRunHeader = 'holdfast-former-run';

/**
 * Traces runs, activities, waits and child workflows as spans. The library's own interceptors wrap the promises that they
 * trace, which changes the order of workflow steps. These interceptors return the promises unchanged, so an open run replays
 * whether tracing is on or off. A limiter is shared by all runs and never ends, so it belongs to no trace.
 */
export const interceptors = (): WorkflowInterceptors => {
  const { workflowType } = workflowInfo();
  if (workflowType === limiterWorkflowType) return {};
  // Sets up the tracer of the sandbox. Its ids come from a random stream that workflow code does not use.
  const library = new OpenTelemetryOutboundInterceptor();
  let startHeaders: Headers = {};
  return {
    inbound: [
      {
        execute(input, next) {
          startHeaders = input.headers;
          return traced(`RunWorkflow:${workflowType}`, () => next(input), {
            parent: contextOf(input.headers) ?? context.active(),
            links: linksOf(input.headers),
          });
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) =>
          traced(
            `StartActivity:${input.activityType}`,
            () => next({ ...input, headers: headersWithContext(input.headers) }),
            { attributes: summaryOf(input.options) },
          ),
        startTimer: (input, next) =>
          // Timers without a summary are part of another operation.
          input.options?.summary === undefined
            ? next(input)
            : traced('Wait', () => next(input), { attributes: summaryOf(input.options) }),
        startChildWorkflowExecution: (input, next) =>
          traced(`StartChildWorkflow:${input.workflowType}`, () =>
            next({ ...input, headers: headersWithContext(input.headers) }),
          ),
        continueAsNew(input, next) {
          const own = headersWithContext({});
          // The next run is a sibling in the trace, because a run may continue as new many times.
          const parent = (contextOf(startHeaders) === undefined ? own : startHeaders)[TRACE_HEADER];
          return next({
            ...input,
            headers: { ...input.headers, [TRACE_HEADER]: parent, [formerRunHeader]: own[TRACE_HEADER] } as Headers,
          });
        },
        getLogAttributes: (input, next) => library.getLogAttributes(input, next),
      },
    ],
    internals: [new OpenTelemetryInternalsInterceptor()],
  };
};

interface SpanFacts {
  parent?: Context;
  attributes?: Attributes;
  links?: Link[];
}

function traced<Result>(
  name: string,
  work: () => Promise<Result>,
  { parent = context.active(), attributes = {}, links = [] }: SpanFacts = {},
): Promise<Result> {
  const span = trace.getTracer('holdfast').startSpan(name, { attributes, links }, parent);
  const result = context.with(trace.setSpan(parent, span), work);
  result.then(
    () => span.end(),
    (error: unknown) => {
      if (!(error instanceof ContinueAsNew)) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
      }
      span.end();
    },
  );
  return result;
}

/** Undefined also if the client encrypted the header; an error here would fail every workflow task of the run. */
function contextOf(headers: Headers): Context | undefined {
  try {
    return extractContextFromHeaders(headers);
  } catch {
    return undefined;
  }
}

function summaryOf({ summary }: { summary?: string }): Attributes {
  return summary === undefined ? {} : { 'holdfast.summary': summary };
}

function linksOf({ [formerRunHeader]: former }: Headers): Link[] {
  if (former === undefined) return [];
  const span = trace.getSpanContext(contextOf({ [TRACE_HEADER]: former }) ?? context.active());
  return span === undefined ? [] : [{ context: span }];
}
