/** Every section of the cookbook, in the order of the page. */
import { AUTH } from './auth.ts'
import type { CookbookSection } from './entry.ts'

export const COOKBOOK: readonly CookbookSection[] = [AUTH]
