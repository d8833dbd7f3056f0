import type { LimitsOverride, PermitReport } from '../../contract/limiter.ts';

export type LimiterEvent =
  | { kind: 'permit_granted'; permitId: string; holder: string; requestId: string }
  | { kind: 'permit_expired'; permitId: string; holder: string; requestId: string }
  | { kind: 'permit_adopted'; permitId: string; holder: string; requestId: string }
  | { kind: 'late_report'; permitId: string; holder: string; outcome: PermitReport['outcome']['kind'] }
  | { kind: 'rate_limited'; holder: string; message: string }
  | { kind: 'throttled'; seconds: number; reason: string; override: boolean }
  | { kind: 'resumed'; override: boolean }
  | { kind: 'breaker_opened'; seconds: number; message: string }
  | { kind: 'breaker_closed' }
  | { kind: 'holder_lost'; holder: string; waiting: number; permits: number }
  | { kind: 'limits_set'; override: LimitsOverride };
