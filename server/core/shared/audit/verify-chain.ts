import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import {
  type AcceptedBreak,
  acceptedBreaks,
  type AcceptedBreaks,
  type BreakOptions,
} from "./accepted-breaks.ts";
import { contentState, type SealedContent } from "./audit-erasure.ts";
import { type AuditHead, startOf } from "./audit-head.ts";
import { type ChainProblem, fork, missing, problemAt } from "./chain-problem.ts";
import { chainHash, type ChainPlace } from "./entry-hash.ts";

/** An entry in its place. */
export type ChainEntry = SealedContent & ChainPlace;

export type ChainReport = {
  /** How far the chain was verified. */
  verified: ChainPlace;
  /** Entries verified, and how many of them were changed by erasures. */
  entries: number;
  erased: number;
  accepted: AcceptedBreak[];
  /** The first one that isn't accepted. */
  problem: ChainProblem | null;
};

type ChainOptions = {
  keys: SigningJwks;
  /** Verified before; by default the chain's start. */
  from?: ChainPlace | undefined;
  /** The sequence of the last entry to verify; by default the head's. */
  through?: number | undefined;
  /** Heads saved earlier that must be in the chain. */
  known?: AuditHead[] | undefined;
} & BreakOptions;

/**
 * Verifies entries against the signed head of their chain, and stops at the first problem that isn't accepted.
 *
 * @param pages the entries after `from` in the order of their sequence, and those before it that shouldn't be there
 */
export async function verifyChain(
  head: AuditHead,
  pages: AsyncIterable<ChainEntry[]> | Iterable<ChainEntry[]>,
  { keys, from = startOf(head), through = head.sequence, ...options }: ChainOptions,
): Promise<ChainReport> {
  let verified = from;
  let [entries, erased] = [0, 0];
  const breaks = acceptedBreaks(options);
  const report = (problem: ChainProblem | null) => ({
    ...{ verified, entries, erased, accepted: breaks.accepted, problem },
  });
  const known = await breaks.withoutAccepted(options.known ?? []);
  const knownAt = Map.groupBy(known, ({ sequence }) => sequence);
  const forked = findFork(head, knownAt, from);
  if (forked) return report(forked);
  for await (const page of pages)
    for (const entry of page) {
      const state = contentState(entry, keys);
      const next = await follow(entry, { state, head, verified, breaks });
      const problem = next.problem ?? forkAt(knownAt.get(entry.sequence), next.place.hash);
      if (problem) return report(problem);
      verified = next.place;
      entries++;
      erased += Number(state === "erased");
    }
  const end = await reachEnd(verified, { through, head, breaks });
  verified = end.place;
  return report(end.problem ?? findDeleted(known, from));
}

type Reached = { place: ChainPlace; problem: ChainProblem | null };

type Step = {
  state: ReturnType<typeof contentState>;
  head: AuditHead;
  verified: ChainPlace;
  breaks: AcceptedBreaks;
};

/** Compares what was verified with the end of the chain. */
async function reachEnd(
  place: ChainPlace,
  { through, head, breaks }: { through: number } & Pick<Step, "head" | "breaks">,
): Promise<Reached> {
  const problem = findEnd(place, through, head);
  const next = problem && (await breaks.atEnd(problem, place, head));
  return next ? reachEnd(next, { through, head, breaks }) : { place, problem };
}

/** The place of an entry that follows what was verified, or the first problem. */
async function follow(
  entry: ChainEntry,
  { state, head, verified, breaks }: Step,
): Promise<Reached> {
  const hash = chainHash(verified.hash, entry.contentHash);
  const problem = findMisplaced(entry, verified, head) ?? findChanged(entry, state, hash);
  if (!problem) return { place: { sequence: entry.sequence, hash }, problem };
  const end = await breaks.atEnd(problem, verified);
  if (end) return follow(entry, { state, head, verified: end, breaks });
  const next = await breaks.atEntry(problem, verified, { entry, state });
  return next ? { place: next, problem: null } : { place: verified, problem };
}

function findMisplaced(
  { sequence }: ChainEntry,
  { sequence: last }: ChainPlace,
  head: AuditHead,
): ChainProblem | null {
  if (sequence <= last || sequence > head.sequence)
    return problemAt(sequence, "inserted", "was inserted");
  return sequence === last + 1 ? null : missing(last + 1, sequence - 1);
}

/** @param hash stored for this position in the chain */
function findChanged(
  { sequence, hash: stored }: ChainEntry,
  state: ReturnType<typeof contentState>,
  hash: Buffer,
): ChainProblem | null {
  if (state === "changed") return problemAt(sequence, "changed", "was changed after it was sealed");
  if (hash.equals(stored)) return null;
  return problemAt(
    sequence,
    "order",
    "doesn't follow the entry before it: it was moved or replaced",
  );
}

function findEnd(
  { sequence, hash }: ChainPlace,
  through: number,
  head: AuditHead,
): ChainProblem | null {
  if (sequence < through) return missing(sequence + 1, through);
  if (sequence < head.sequence || hash.equals(head.hash)) return null;
  return {
    ...{ kind: "signature", sequence },
    message: "The chain was rewritten: it doesn't end with the hash that was signed",
  };
}

type KnownHeads = Map<number, AuditHead[]>;

/** Compares the saved heads with each other and with the chain's ends. The others are compared on the way. */
function findFork(head: AuditHead, knownAt: KnownHeads, from: ChainPlace): ChainProblem | null {
  for (const [sequence, saved] of knownAt) {
    if (sequence > head.sequence) return fork(saved[0]!);
    const forked = forkAt(saved, saved[0]!.hash);
    if (forked) return forked;
  }
  return forkAt(knownAt.get(from.sequence), from.hash);
}

function forkAt(saved: AuditHead[] | undefined, hash: Buffer): ChainProblem | null {
  const other = saved?.find((head) => !head.hash.equals(hash));
  return other ? fork(other) : null;
}

/** Finds a saved head older than the chain's start, unless a saved head matches that start. */
function findDeleted(known: AuditHead[], from: ChainPlace): ChainProblem | null {
  if (known.some(({ sequence }) => sequence === from.sequence)) return null;
  const before = known.find(({ sequence }) => sequence < from.sequence);
  if (!before) return null;
  const { sequence, sealedAt } = before;
  return {
    ...{ kind: "deleted", sequence },
    message: `The head of ${sealedAt}, entry ${sequence}, can't be verified: the entries up to ${from.sequence} were deleted. Verify with heads saved after that`,
  };
}
