/** Every section of the cookbook, in the order of the page. */
import { APACHE } from './apache.ts'
import { AUTH } from './auth.ts'
import { CLOUDTRAIL } from './cloudtrail.ts'
import type { CookbookSection } from './entry.ts'
import { BGL, HADOOP, HDFS, OPENSTACK, ZOOKEEPER } from './loghub.ts'
import { WINDOWS } from './windows.ts'

export const COOKBOOK: readonly CookbookSection[] = [
  AUTH,
  APACHE,
  CLOUDTRAIL,
  WINDOWS,
  HDFS,
  BGL,
  OPENSTACK,
  ZOOKEEPER,
  HADOOP,
]
