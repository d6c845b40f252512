/** The server's errors in the words of the HTTP event collector. */
import type { ErrorAnswer, ErrorCode } from '../errors.ts'
import { HEC_ANSWERS, type HecAnswer } from './hec.ts'

export function splunkError(
  { status, error }: ErrorAnswer,
  authorization: string | undefined,
  url: string,
): { readonly status: number; readonly body: { readonly text: string; readonly code: number } } {
  const known = answerOf(error.code, authorization)
  if (known !== null) {
    // Under the prefix the interface's own status holds: there an invalid key is 401.
    const isOurs = url.startsWith('/api/')
    return { status: isOurs ? status : known.status, body: { text: known.text, code: known.code } }
  }
  const { code } = status < 500 ? HEC_ANSWERS.invalidFormat : HEC_ANSWERS.internalError
  // The protocol has no word for it; clients log the text and look at the status.
  return { status, body: { text: error.message, code } }
}

function answerOf(code: ErrorCode, authorization: string | undefined): HecAnswer | null {
  switch (code as string) {
    case 'AUTH_REQUIRED':
      return HEC_ANSWERS.tokenRequired
    case 'INVALID_TOKEN':
      return /^\s*\S+\s+\S/.test(authorization ?? 'Splunk token')
        ? HEC_ANSWERS.invalidToken
        : HEC_ANSWERS.invalidAuthorization
    case 'FORBIDDEN':
      return HEC_ANSWERS.invalidToken
    case 'BACKPRESSURE':
    case 'SHUTTING_DOWN':
      return HEC_ANSWERS.busy
    default:
      return null
  }
}
