import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { companies } from "#drizzle/schema/index.ts";

import { config } from "#server/config.ts";

import { connect } from "./client.ts";
import { PLANNED_EACH_TIME } from "./preparing.ts";

async function onOneConnection(work: (db: ReturnType<typeof connect>["db"]) => Promise<void>) {
  const connection = connect(config().databaseUrl!, { max: 1 });
  try {
    await work(connection.db);
  } finally {
    await connection.close();
  }
}

const preparedOf = async (db: ReturnType<typeof connect>["db"], text: string) => {
  const [row] = await db.execute<{ count: number }>(
    sql`select count(*)::int from pg_prepared_statements where statement like ${`%${text}%`}
        and statement not like '%pg_prepared_statements%'`,
  );
  return row!.count;
};

test("a repeated statement is prepared once, in and outside transactions", async () => {
  await onOneConnection(async (db) => {
    for (let i = 0; i < 3; i++) {
      const name = `Company ${i}`;
      await db.transaction(async (tx) => {
        await tx.insert(companies).values({ name });
        await tx.transaction((inner) =>
          inner.select().from(companies).where(eq(companies.name, name)),
        );
      });
    }
    expect(await preparedOf(db, 'insert into "companies"')).toBe(1);
    expect(await preparedOf(db, 'from "companies"')).toBe(1);
  });
});

test("a statement with many rows is not prepared", async () => {
  await onOneConnection(async (db) => {
    await db.insert(companies).values(Array.from({ length: 65 }, (_, i) => ({ name: `C${i}` })));

    expect(await preparedOf(db, 'insert into "companies"')).toBe(0);
  });
});

test("a statement that asks for a new plan each time is not prepared", async () => {
  await onOneConnection(async (db) => {
    const id = "0198c0de-0000-7000-8000-000000000002";
    for (let i = 0; i < 3; i++)
      await db.execute(sql`
        ${sql.raw(PLANNED_EACH_TIME)} select from companies where id = ${id}::uuid`);
    expect(await preparedOf(db, "select from companies")).toBe(0);
  });
});

test("a statement that fails inside a transaction rolls it back", async () => {
  await onOneConnection(async (db) => {
    const name = `Company ${crypto.randomUUID()}`;
    const work = db.transaction((tx) =>
      Promise.all([
        tx.insert(companies).values({ name }),
        tx.insert(companies).values({ name: "" }),
        tx.insert(companies).values({ name }),
      ]),
    );

    await expect(work).rejects.toThrow();
    expect(await db.$count(companies, eq(companies.name, name))).toBe(0);
  });
});
