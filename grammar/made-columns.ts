/** The columns that stages make, by name and in order: one list for what runs, what compiles and what completes. */

/** Columns of describe. */
export const DESCRIBE_COLUMNS = ['field', 'type', 'coverage', 'distinct_est', 'min', 'max', 'top_values'] as const

/** Columns patterns gives, in order. */
export const PATTERN_COLUMNS = ['pattern', 'count', 'share', 'first_seen', 'last_seen', 'sample'] as const

/** Columns sessionize adds. */
export const SESSION_COLUMNS = [
  'session',
  'session_start',
  'session_end',
  'session_duration',
  'session_events',
] as const

/** Columns transaction makes, besides the keys and what its events hold. */
export const TRANSACTION_COLUMNS = ['duration', 'events', 'closed', 'closed_by'] as const

/** Columns trace adds, before those of the spans. */
export const TRACE_COLUMNS = [
  'tree',
  'depth',
  'path',
  'offset',
  'took',
  'self_time',
  'critical',
  'critical_time',
  'failed',
] as const

/** Columns of topology. */
export const TOPOLOGY_COLUMNS = ['caller', 'callee', 'calls', 'errors', 'error_rate', 'p50', 'p95'] as const

/** Columns of correlate. */
export const CORRELATE_COLUMNS = ['a', 'b', 'method', 'correlation', 'n'] as const

/** Columns outliers adds; `is_outlier` only where all rows come out. */
export const OUTLIER_COLUMNS = ['score', 'lower', 'upper'] as const

/** Columns context adds. */
export const CONTEXT_COLUMNS = ['context', 'context_block'] as const

/** Columns of diff. */
export const DIFF_COLUMNS = [
  'field',
  'test',
  'value',
  'matching_share',
  'rest_share',
  'difference',
  'matching',
  'rest',
] as const

/** Columns of changepoint after the time and the keys. */
export const CHANGE_COLUMNS = ['before', 'after', 'change', 'change_pct', 'score'] as const

/** Columns forecast adds. */
export const FORECAST_COLUMNS = ['is_forecast', 'lower', 'upper', 'model'] as const
