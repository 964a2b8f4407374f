import { type SQL, sql } from "drizzle-orm";

/** SQL for an address without its tag (RFC 5233): `ann@example.com` for `ann+shop@example.com`. */
export const withoutTag = (address: SQL): SQL =>
  sql`regexp_replace(${address}, '^([^+@]+)[+].*@', '\\1@')`;

/** SQL for the catch-all of an address's domain: `*@example.com`. */
export const catchAllOf = (address: SQL): SQL => sql`('*@' || substring(${address} from '[^@]*$'))`;
