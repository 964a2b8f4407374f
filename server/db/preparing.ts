import type { ISql } from "postgres";

/**
 * Statements of more parameters are many-row inserts, each number of rows a statement of its own:
 * keeping those prepared would fill Postgres with statements that hardly come again.
 */
const PREPARED_PARAMETERS_MAX = 64;

type Unsafe = ISql["unsafe"];
type Work = (sql: object) => unknown;
type Transact = (work: Work) => Promise<unknown>;

/**
 * The driver as drizzle uses it, with its statements prepared by name. Left to itself drizzle has each
 * one described, parsed and planned anew: two round trips where one will do.
 */
export function preparing<Sql extends object>(sql: Sql): Sql {
  return new Proxy(sql, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === "unsafe") return prepared(member as Unsafe);
      if (name === "begin" || name === "savepoint")
        return (work: Work) => (member as Transact)((inner) => work(preparing(inner)));
      return member;
    },
  });
}

const prepared =
  (unsafe: Unsafe): Unsafe =>
  (query, parameters = [], options) =>
    unsafe(query, parameters, {
      ...options,
      prepare: parameters.length > 0 && parameters.length <= PREPARED_PARAMETERS_MAX,
    });
