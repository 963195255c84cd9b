/** An id that is unique on the page, where several views may be. */
export const uniqueId = (prefix: string): string => `${prefix}-${Math.random().toString(36).slice(2)}`;
