export type HelperName = string
