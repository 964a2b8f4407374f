import { type AnyColumn, type SQL, sql } from "drizzle-orm";

import type { Context } from "./context.ts";

/**
 * Condition that limits rows to the mode of the caller's API key: a test key sees test data, other keys live data.
 * Callers without a key see both. Without parameters, so that partial indexes serve every plan.
 */
export function inMode({ isTest }: Pick<Context, "isTest">, column: AnyColumn): SQL | undefined {
  if (isTest === undefined) return undefined;
  return isTest ? sql`${column}` : sql`not ${column}`;
}

/** Whether what the caller creates is test data. Callers without a key create live data. */
export const isTestMode = ({ isTest = false }: Pick<Context, "isTest">): boolean => isTest;
