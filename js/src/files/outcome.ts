/** The result of an export as a sentence, with the path if the kernel wrote the file; or what went wrong. */
export interface Outcome {
  text?: string;
  path?: string | null;
  problem?: string;
}
