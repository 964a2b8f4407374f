import { sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { db } from "#server/db/pool.ts";

import { loggableError } from "./loggable-error.ts";

test("includes what failed and where, without values from the statement or the row", async () => {
  const secret = "ann@example.org";

  const error: unknown = await db()
    .execute(
      sql`insert into companies (id, name) values (gen_random_uuid(), ${secret + "x".repeat(200)})`,
    )
    .catch((error: unknown) => error);

  const logged = loggableError(error);
  expect(logged).toMatchObject({
    type: "DrizzleQueryError",
    message: expect.stringContaining("insert into companies") as string,
    stack: expect.stringContaining("loggable-error.test.ts") as string,
    cause: { code: "23514", message: expect.stringContaining("companies_name_check") as string },
  });
  expect(JSON.stringify(logged)).not.toContain(secret);
});

test("accepts values that are not errors", () => {
  expect(loggableError("gone")).toEqual({ type: "string", message: "gone", stack: "" });
});
