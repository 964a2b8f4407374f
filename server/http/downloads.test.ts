import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { groupMembers, groups, sessions, suppressions } from "#drizzle/schema/index.ts";
import { readWholeTeam } from "#server/core/access/admins/team.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { readAllGroups } from "#server/core/mailboxes/groups/group-list.ts";
import { searchSuppressions } from "#server/core/sending/suppressions/search-suppressions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aGroup, anAdmin } from "#server/testing/factories.ts";

import { exportPages } from "./downloads.ts";

// Mailboxes have the same test in mailboxes/mailbox-list.test.ts.

let companyId: string;

beforeEach(async () => {
  companyId = (await aCompany()).id;
});

/** Reads row by row, with a change after each. */
async function namesIn<Row>(
  pages: AsyncIterable<Row[]>,
  nameOf: (row: Row) => string,
  change: (name: string) => Promise<unknown>,
) {
  const names: string[] = [];
  for await (const [row] of pages) {
    const name = row === undefined ? "deleted" : nameOf(row).split("@")[0]!;
    names.push(name);
    await change(name);
  }
  return names;
}

test("an export of groups by members has each once, although some gain members or are deleted meanwhile", async () => {
  const domain = await aDomain(companyId);
  const at = (name: string) => `${name}@${domain.name}`;
  for (const [name, members] of Object.entries({ ann: 1, ben: 2, cleo: 3, dan: 4 }))
    await aGroup(domain, {
      address: at(name),
      members: Array.from({ length: members }, (_, i) => `${i}@x.example`),
    });
  const sort = { by: "members", direction: "ascending" } as const;
  const pages = readAllGroups(aContext(companyId), {}, sort, 1);
  const exported = await namesIn(
    pages,
    ({ address }) => address,
    async (name) => {
      if (name === "ann")
        await db()
          .delete(groups)
          .where(eq(groups.address, at("cleo")));
      if (name === "ann" || name === "ben")
        await db()
          .insert(groupMembers)
          .values(
            [1, 2, 3, 4, 5].map((i) => ({ groupAddress: at(name), member: `${i}@y.example` })),
          );
    },
  );
  expect(exported).toEqual(["ann", "ben", "deleted", "dan"]);
});

test("an export of admins by last sign-in lists each once, even if they sign in during the export", async () => {
  const ids = new Map<string, string>();
  for (const [name, minutes] of Object.entries({ ann: 3, ben: 2, cleo: 1 })) {
    const { id } = await anAdmin(companyId, { email: `${name}@${companyId}.example` });
    ids.set(name, id);
    await startSession(db(), id);
    await use(id, minutes);
  }
  const sort = { by: "seen", direction: "ascending" } as const;
  const pages = readWholeTeam(aContext(companyId), null, sort, 1);
  const exported = await namesIn(
    pages,
    ({ email }) => email,
    (name) => use(ids.get(name)!, 0),
  );
  expect(exported).toEqual(["ann", "ben", "cleo"]);
});

const use = (id: string, minutesAgo: number) =>
  db()
    .update(sessions)
    .set({ lastUsedAt: sql`now() - ${minutesAgo}::int * interval '1 minute'` })
    .where(eq(sessions.userId, id));

test.each([
  ["ascending", ["ann", "ben", "cleo"]],
  ["descending", ["cleo", "ben", "ann"]],
] as const)(
  "an export in %s order continues after a row that was deleted meanwhile",
  async (direction, names) => {
    for (const name of ["ann", "ben", "cleo"])
      await db()
        .insert(suppressions)
        .values({ companyId, email: `${name}@example.org`, origin: "manual" });
    const ctx = aContext(companyId);
    const everything = { origin: null, search: null };
    const pages = exportPages(
      (page) => searchSuppressions(ctx, { ...page, limit: 1 }, everything),
      direction,
    );
    const exported = await namesIn(
      pages,
      ({ email }) => email,
      (name) =>
        db()
          .delete(suppressions)
          .where(eq(suppressions.email, `${name}@example.org`)),
    );
    expect(exported).toEqual(names);
  },
);
