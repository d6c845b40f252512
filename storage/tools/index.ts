/** What can be done to a data directory as a whole, without an engine over it. `inspect`, `list`, `verify` and `backup` only read. */
export {
  BackupError,
  type BackupManifest,
  type BackupReport,
  backupDirectory,
  readManifest,
  restoreDirectory,
} from './backup.ts'
export { type ColumnInspection, inspectPart, type PartInspection } from './inspect.ts'
export { listParts, NoDataDirectoryError, type PartListing, pathOfPart, requireDataDirectory } from './list-parts.ts'
export { type Repair, repairDirectory } from './repair.ts'
export { type PartVerdict, type Verification, verifyDirectory } from './verify.ts'
