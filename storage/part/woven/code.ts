/** The codes of woven text: this ends a row … */
export const ROW_END = 0
/** … this is followed by a varint, the bytes of literal text to take … */
export const LITERAL = 255
/** … and of the 254 between them the first stand for entries, the others for 256 entries each, told apart by the next byte. */
export const CODES = 254
/** Rows between places that are remembered: so many are walked, at most, to find one. */
export const ROWS_APART = 4
