/** The result of an export as a sentence, and the path if the kernel wrote the file; or what went wrong. */
export type Outcome = { text: string; path: string | null } | { problem: string };
