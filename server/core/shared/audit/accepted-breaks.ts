import type { Acceptance, ChainBreak } from "./acceptance.ts";
import type { contentState, SealedContent } from "./audit-erasure.ts";
import type { AuditHead } from "./audit-head.ts";
import { type ChainProblem, fork } from "./chain-problem.ts";
import { type ChainPlace, contentHash } from "./entry-hash.ts";

/** A break of a chain that an operator accepted. */
export type AcceptedBreak = ChainProblem & { acceptedAt: string; reason: string };

export type BreakOptions = {
  /** Reads what was accepted. Called only if something is wrong, or if there are saved heads. */
  acceptances?: (() => Promise<Acceptance[]>) | undefined;
  /** Called with each break that isn't accepted yet. Verification then continues after it. */
  onBreak?: ((found: ChainBreak) => void) | undefined;
};

export type AcceptedBreaks = ReturnType<typeof acceptedBreaks>;

const isSame = (a: ChainPlace, b: ChainPlace) => a.sequence === b.sequence && a.hash.equals(b.hash);

/** Compares the problems of a chain with those that an operator accepted, and finds where the chain continues after them. */
export function acceptedBreaks({ acceptances, onBreak }: BreakOptions) {
  const accepted: AcceptedBreak[] = [];
  let reading: Promise<Acceptance[]> | undefined;
  const read = () => (reading ??= acceptances?.() ?? Promise.resolve([]));
  const used = new Set<ChainBreak>();

  async function use(matches: (one: ChainBreak) => boolean): Promise<ChainPlace | null> {
    for (const { acceptedAt, reason, breaks } of await read()) {
      const found = breaks.find((one) => !used.has(one) && matches(one));
      if (!found) continue;
      used.add(found);
      const { kind, sequence, message, to } = found;
      accepted.push({ kind, sequence, message, acceptedAt, reason });
      return to;
    }
    return null;
  }

  function add(found: ChainBreak): ChainPlace {
    onBreak!(found);
    return found.to;
  }

  return {
    accepted,

    /** Returns the saved heads that weren't accepted, and reports the others as accepted. */
    async withoutAccepted(known: AuditHead[]): Promise<AuditHead[]> {
      if (known.length === 0) return [];
      const all = await read();
      return known.filter((saved) => {
        const found = all.find(({ heads }) => heads.some((head) => isSame(head, saved)));
        if (!found) return true;
        const { acceptedAt, reason } = found;
        accepted.push({ ...fork(saved), acceptedAt, reason });
        return false;
      });
    },

    /**
     * Looks for an accepted problem at what was the end of the chain at that time.
     *
     * @param head the chain's head; omitted if more entries follow
     * @returns where the chain continues; null if the problem isn't accepted
     */
    async atEnd(
      problem: ChainProblem,
      after: ChainPlace,
      head?: AuditHead,
    ): Promise<ChainPlace | null> {
      const next = await use((one) => one.content === null && isSame(one.after, after));
      if (next || !onBreak || !head) return next;
      const { sequence, hash } = head;
      return add({ ...problem, after, to: { sequence, hash }, content: null });
    },

    /**
     * Looks for an accepted problem at an entry.
     *
     * @returns where the chain continues: at the entry, or still at `after` if the entry was inserted; null if the problem
     *   isn't accepted
     */
    async atEntry(
      problem: ChainProblem,
      after: ChainPlace,
      {
        entry,
        state,
      }: { entry: SealedContent & ChainPlace; state: ReturnType<typeof contentState> },
    ): Promise<ChainPlace | null> {
      const { sequence, hash } = entry;
      const to = { sequence, hash };
      // An erasure doesn't change the hash that was sealed.
      const content = state === "changed" ? contentHash(entry, entry.salt) : entry.contentHash;
      const next = await use(
        (one) =>
          one.content?.equals(content) === true && isSame(one.after, after) && isSame(one.to, to),
      );
      if (!next && !onBreak) return null;
      if (!next) add({ ...problem, after, to, content });
      return sequence <= after.sequence ? after : to;
    },
  };
}
