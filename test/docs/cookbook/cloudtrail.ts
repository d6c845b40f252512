/** Questions to the audit log of an AWS account under attack. */
import type { CookbookSection } from './entry.ts'

export const CLOUDTRAIL: CookbookSection = {
  title: 'A cloud account: cloudtrail',
  about:
    'An hour of the audit log of an AWS account in which attacks were played through. The time of a record is in `eventTime`, which `--time-field eventTime` says.',
  file: 'cloudtrail.ndjson.gz',
  timeField: 'eventTime',
  entries: [
    {
      title: 'Who did anything here?',
      why: 'Identities, how many different calls they made, and from how many addresses.',
      query: `stats count() as calls, dc(eventName) as kinds, dc(sourceIPAddress) as addresses,
        count(where exists(errorCode)) as errors by userIdentity.type, userIdentity.userName
| sort -calls`,
    },
    {
      title: 'Which calls were denied, and to whom?',
      why: 'A burst of denials is somebody who tries what these keys are good for.',
      query: `errorCode in ("AccessDenied", "Client.UnauthorizedOperation")
| stats count() as denied, values(eventName) as calls by userIdentity.arn
| extend who = extract(userIdentity.arn, r"[^:/]+/[^/]+")
| keep who, denied, calls
| sort -denied`,
    },
    {
      title: 'Did anybody use the root account?',
      why: 'The answer ought to be an empty table. The index knows which values a field has, so that costs nothing.',
      query: `userIdentity.type=Root
| stats count() as calls, max(_time) as last by eventName, sourceIPAddress`,
    },
    {
      title: 'Who logged in at the console without a second factor?',
      why: 'The fields of nested records are called by their path.',
      query: `eventName=ConsoleLogin
| extend user = userIdentity.userName, mfa = additionalEventData.MFAUsed, result = responseElements.ConsoleLogin
| keep _time, user, sourceIPAddress, mfa, result
| sort mfa`,
    },
    {
      title: 'Which keys and users were made?',
      why: 'What an intruder makes in order to come back.',
      query: `eventName in ("CreateAccessKey", "CreateUser", "CreateLoginProfile", "AttachUserPolicy") not errorCode=*
| extend by = userIdentity.userName, for = requestParameters.userName, policy = requestParameters.policyArn
| keep _time, eventName, by, for, policy
| sort _time`,
    },
    {
      title: 'Did anybody try to stop the recording?',
      why: 'Whoever switches the log off has reasons. It is the last thing this log can say.',
      query: `eventSource=cloudtrail.amazonaws.com eventName in ("StopLogging", "DeleteTrail", "PutEventSelectors", "UpdateTrail")
| stats count() as times, min(_time) as first, values(requestParameters.name) as trails by eventName
| sort first`,
    },
    {
      title: 'Which calls does nobody else make?',
      why: 'Rare calls by one identity only: reconnaissance stands out against a routine.',
      query: `stats count() as times, dc(userIdentity.arn) as identities, min(_time) as first by eventSource, eventName
| where times == 1 and identities == 1
| extend service = replace(eventSource, ".amazonaws.com", "")
| stats count() as calls, values(eventName) as names by service
| sort -calls, service | head 6`,
    },
    {
      title: 'When did it get busy?',
      why: 'Calls and errors in five minutes each. An attack is a step, and the errors come with it.',
      query: `every 5m stats count() as calls, count(where exists(errorCode)) as errors, dc(eventName) as kinds
| fill 5m
| extend error_share = errors / calls`,
    },
    {
      title: 'What sets the failed calls apart?',
      why: 'Over all 500 fields of the records: which values the failed ones have and the others have not.',
      query: `extend failed = exists(errorCode)
| keep failed, eventSource, eventName, userIdentity.*, sourceIPAddress, userAgent, awsRegion, readOnly
| diff (failed)
| where field != "failed" and not contains(field, "session")
| keep field, test, value, matching_share, rest_share
| head 6`,
    },
    {
      title: 'Which secrets were read?',
      why: 'What has to be changed after an intrusion is what was read in it.',
      query: `eventName in ("GetSecretValue", "GetParameter", "GetParameters", "Decrypt", "GetPasswordData") not errorCode=*
| stats count() as reads, dc(requestParameters.secretId) as secrets, dc(requestParameters.name) as parameters,
        min(_time) as first by eventName, userIdentity.userName
| sort -reads`,
    },
    {
      title: 'Which things of the account were touched?',
      why: 'A record has a list of resources; `explode` makes a row of each.',
      query: `where exists(resources)
| explode resources as resource
| stats count() as calls, dc(resource.ARN) as things, dc(eventName) as kinds by resource.type
| sort -calls`,
    },
    {
      title: 'Which fields are there at all?',
      why: '`describe` looks at every event: types, how many events have the field, how many different values.',
      query: `describe
| where coverage > 0.9 and distinct_est between 2 and 40
| keep field, type, coverage, distinct_est, top_values
| sort -distinct_est | head 8`,
    },
  ],
}
