import type { AuditHead } from "./audit-head.ts";

/**
 * - `changed`: the entry's content isn't what was sealed
 * - `missing`: the entry was deleted, but not by retention
 * - `inserted`: the entry's sequence is one that the chain has already passed, or is after the head
 * - `order`: the entry's hash doesn't follow from the entry before it
 * - `signature`: the chain doesn't end with the signed head, or the head is missing or wasn't signed by this server
 * - `fork`: a head saved earlier isn't in the chain
 * - `deleted`: a head saved earlier can't be verified, because retention deleted the entries up to it
 */
export const PROBLEM_KINDS = [
  ...(["changed", "missing", "inserted", "order", "signature", "fork", "deleted"] as const),
] as const;

export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** A problem of a chain. `sequence` is null if it concerns no particular entry. */
export type ChainProblem = { kind: ProblemKind; sequence: number | null; message: string };

export const problemAt = (sequence: number, kind: ProblemKind, what: string): ChainProblem => ({
  ...{ kind, sequence },
  message: `Entry ${sequence} ${what}`,
});

export function missing(first: number, last: number): ChainProblem {
  const what = first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`;
  return { kind: "missing", sequence: first, message: `${what} missing` };
}

export const fork = ({ sequence, sealedAt }: AuditHead): ChainProblem => ({
  ...{ kind: "fork", sequence },
  message: `The head of ${sealedAt}, entry ${sequence}, isn't in this chain: the chain was rewritten, or the database was restored from an older backup`,
});
