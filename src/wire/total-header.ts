/** The header of a response with a page: the number of rows of the whole list. */
export const TOTAL_HEADER = "x-total-count";
