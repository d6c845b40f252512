/** Decimals and the doubles nearest to them. */

/** So many digits a double holds exactly; two decimals of no more are never the same double, and the shortest text of one is that decimal. */
export const DIGITS_MAX = 15

/** Each exact, so that so many digits divided by one give the double nearest to the decimal. */
export const POWERS_OF_TEN: Float64Array = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, power) =>
  Number(`1e${power}`),
)
