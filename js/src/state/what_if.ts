/**
 * The what-if of the one selected row: how far a change of each feature moves its prediction. A reply has as many
 * features as the kernel computes in half a second.
 */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { halfWeight } from "../text/numbers.ts";
import type { Client } from "../wire/client.ts";
import type { FeatureMoves, MoveBody } from "../wire/protocol.ts";
import { Feed, type Progress, type Wanted } from "./feed.ts";

/** Delay after the selection of a row before its what-if is requested. */
const PATIENCE_MS = 60;
const ROUNDING = 1e-9;

/** A row, and the features to request, the most important one first. */
export interface Question extends Wanted {
  row: number;
  features: readonly string[];
}

type Moves = ReadonlyMap<string, FeatureMoves>;

export interface WhatIf {
  row: number;
  moves: Moves;
  /** Features that are known or will be. */
  total: number;
  /** Why the others are not known, as a sentence. */
  problem: string | null;
}

/** The largest change within reach of the row: where values count at least half. Null where nothing changes. */
export function largestChange({ moves }: FeatureMoves, decay: number): MoveBody | null {
  const reach = halfWeight(decay) * (1 + ROUNDING);
  const near = moves.filter(({ distance }) => (distance ?? Number.POSITIVE_INFINITY) <= reach);
  return near[near.length - 1] ?? null;
}

/** What is known of the question. */
export function whatIfOf({ row, features }: Question, progress: Progress<Moves>): WhatIf {
  const problem = progress.state === "error" ? progress.message : null;
  return { row, moves: progress.body ?? new Map(), total: features.length, problem };
}

export const whatIfFeed = (client: Client, question: ReadonlySignal<Question | null>): Feed<Question, Moves> =>
  new Feed(
    computed(() => (client.hasKernel && question.value?.features.length ? question.value : null)),
    async ({ row, features }, known) => {
      const left = features.filter((name) => !known?.has(name));
      const body = await client.request({ type: "what_if", position: row, features: left });
      if (body.features.length === 0) throw new Error("The kernel sent no changes.");
      const moves = new Map([...(known ?? []), ...body.features.map((each) => [each.feature, each] as const)]);
      return { share: moves.size / features.length, body: moves };
    },
    { patience: PATIENCE_MS },
  );
