import { eq } from "drizzle-orm";

import { queueHolds } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Whose mail is held back: all to a destination, or all of a company. */
export type Subject = { kind: "destination" | "company"; subject: string };

/** What is held at the moment. */
export class Holds {
  readonly #subjects: ReadonlySet<string>;

  constructor(subjects: Subject[]) {
    this.#subjects = new Set(subjects.map(keyOf));
  }

  get isNone(): boolean {
    return this.#subjects.size === 0;
  }

  /** Whether mail of this company to this destination waits for an operator. */
  covers(companyId: string, destination: string): boolean {
    return (
      this.#subjects.has(keyOf({ kind: "company", subject: companyId })) ||
      this.#subjects.has(keyOf({ kind: "destination", subject: destination }))
    );
  }

  /** Whether something that `others` hold is not held here. */
  isLessThan(others: Holds): boolean {
    return [...others.#subjects].some((subject) => !this.#subjects.has(subject));
  }
}

const keyOf = ({ kind, subject }: Subject) => `${kind} ${subject}`;

/** What is held, read now. */
export async function readHolds(db: Db): Promise<Holds> {
  return new Holds(
    await db.select({ kind: queueHolds.kind, subject: queueHolds.subject }).from(queueHolds),
  );
}

/** The hold of a subject, or null. */
export async function findHold(db: Db, { kind, subject }: Subject) {
  const rows = await db.select().from(queueHolds).where(eq(queueHolds.subject, subject));
  return rows.find((row) => row.kind === kind) ?? null;
}
