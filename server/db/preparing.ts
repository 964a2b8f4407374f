import type { ISql } from "postgres";

/**
 * Statements with more parameters are multi-row inserts. Each number of rows is a separate statement, which is rarely
 * reused and would fill Postgres' memory.
 */
const PREPARED_PARAMETERS_MAX = 64;

/**
 * At the beginning of a statement: it is planned each time. For queues: a prepared statement's plan, made while the table
 * was empty, would read all of a full one.
 */
export const PLANNED_EACH_TIME = "/* planned each time */";

type Unsafe = ISql["unsafe"];
type Work = (sql: object) => unknown;
type Transact = (work: Work) => Promise<unknown>;

/**
 * Makes drizzle use named prepared statements. By default it parses, describes and plans each one every time, which takes
 * two round trips instead of one.
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
      prepare:
        parameters.length > 0 &&
        parameters.length <= PREPARED_PARAMETERS_MAX &&
        !query.trimStart().startsWith(PLANNED_EACH_TIME),
    });
