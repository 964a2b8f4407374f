import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import { contentState, type SealedContent } from "./audit-erasure.ts";
import { type AuditHead, startOf } from "./audit-head.ts";
import { chainHash, type ChainPlace } from "./entry-hash.ts";

/** An entry in its place. */
export type ChainEntry = SealedContent & ChainPlace;

/**
 * - `changed`: its content isn't what was sealed
 * - `missing`: it was deleted, but not by retention
 * - `inserted`: it is where the chain has no place
 * - `order`: it doesn't follow the entry before it
 * - `signature`: the end of the chain isn't what was signed
 * - `fork`: the chain isn't the one that a known head ended
 * - `deleted`: the entries up to a known head were deleted by retention, so it can't be verified
 */
type ProblemKind = "changed" | "missing" | "inserted" | "order" | "signature" | "fork" | "deleted";

/** The first problem of a chain. `sequence` is null if it concerns no particular entry. */
export type ChainProblem = { kind: ProblemKind; sequence: number | null; message: string };

export type ChainReport = {
  /** How far the chain was verified. */
  verified: ChainPlace;
  /** Entries verified, and how many of them were changed by erasures. */
  entries: number;
  erased: number;
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
};

/**
 * Verifies entries against the signed head of their chain, and stops at the first problem.
 *
 * @param pages the entries after `from` in the order of their sequence, and those before it that shouldn't be there
 */
export async function verifyChain(
  head: AuditHead,
  pages: AsyncIterable<ChainEntry[]> | Iterable<ChainEntry[]>,
  { keys, from = startOf(head), through = head.sequence, known = [] }: ChainOptions,
): Promise<ChainReport> {
  let verified = from;
  let [entries, erased] = [0, 0];
  const report = (problem: ChainProblem | null) => ({ verified, entries, erased, problem });
  const knownAt = Map.groupBy(known, ({ sequence }) => sequence);
  const forked = findFork(head, knownAt, from);
  if (forked) return report(forked);
  const atEnd = (last: ChainPlace) => findEnd(last, through, head) ?? findDeleted(known, from);
  for await (const page of pages)
    for (const entry of page) {
      const { sequence } = entry;
      const state = contentState(entry, keys);
      const hash = chainHash(verified.hash, entry.contentHash);
      const problem =
        findMisplaced(entry, verified, head) ??
        findChanged(entry, state, hash) ??
        forkAt(knownAt.get(sequence), hash);
      if (problem) return report(problem);
      verified = { sequence, hash };
      entries++;
      erased += Number(state === "erased");
    }
  return report(atEnd(verified));
}

const at = (sequence: number, kind: ProblemKind, what: string): ChainProblem => ({
  ...{ kind, sequence },
  message: `Entry ${sequence} ${what}`,
});

function findMisplaced(
  { sequence }: ChainEntry,
  { sequence: last }: ChainPlace,
  head: AuditHead,
): ChainProblem | null {
  if (sequence <= last || sequence > head.sequence) return at(sequence, "inserted", "was inserted");
  return sequence === last + 1 ? null : missing(last + 1, sequence - 1);
}

/** @param hash stored for this position in the chain */
function findChanged(
  { sequence, hash: stored }: ChainEntry,
  state: ReturnType<typeof contentState>,
  hash: Buffer,
): ChainProblem | null {
  if (state === "changed") return at(sequence, "changed", "was changed after it was sealed");
  if (hash.equals(stored)) return null;
  return at(sequence, "order", "doesn't follow the entry before it: it was moved or replaced");
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

function missing(first: number, last: number): ChainProblem {
  const what = first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`;
  return { kind: "missing", sequence: first, message: `${what} missing` };
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

const fork = ({ sequence, sealedAt }: AuditHead): ChainProblem => ({
  ...{ kind: "fork", sequence },
  message: `The head of ${sealedAt}, entry ${sequence}, isn't in this chain: the chain was rewritten, or the database was restored from an older backup`,
});
