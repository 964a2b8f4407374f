import type { AuditHead } from "./audit-head.ts";

/**
 * - `changed`: its content isn't what was sealed
 * - `missing`: it was deleted, but not by retention
 * - `inserted`: it is where the chain has no place
 * - `order`: it doesn't follow the entry before it
 * - `signature`: the end of the chain isn't what was signed
 * - `fork`: the chain isn't the one that a known head ended
 * - `deleted`: the entries up to a known head were deleted by retention, so it can't be verified
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
