import { count, eq, sql } from "drizzle-orm";

import { companies, mailboxes } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  listVerifiedDomains,
  notVerified,
  readNewAddress,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { type ListedUnit, listUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { isInactiveStatus } from "#server/universal/imports/read-users.ts";

import { readNewName, readQuotaMb } from "./mailbox-fields.ts";

/** A line of an import, as written. */
export type ImportLine = {
  email: string;
  name: string;
  /** In MB; NaN if it isn't a number. */
  quotaMb?: number | undefined;
  /** Path below the root, such as "Sales / Berlin"; "" for the default unit. */
  unit: string;
  aliases: string[];
  /** The user's status in the other system. */
  status?: string | undefined;
};

type ImportProblem = {
  field: "email" | "name" | "quota_mb" | "unit" | "aliases" | "status";
  message: string;
};

/** What importing a line would do. */
export type CheckedLine = {
  /** `exists`: the mailbox exists, perhaps from an earlier import; only its aliases would be created. */
  outcome: "new" | "exists" | "refused";
  /** Normalized; null if it isn't an address. */
  address: string | null;
  /** The resulting quota in MB. */
  quotaMb: number | null;
  unit: { id: number; name: string } | null;
  /** Aliases still to be created. */
  aliases: string[];
  problems: ImportProblem[];
};

/**
 * Validates an import without creating anything: each line by all rules of creation, including the plan's
 * limit and earlier lines. Concurrent changes can still make a line fail later.
 *
 * @returns one result per line, in order; `blocked` says why no mailbox can be created at all
 */
export async function checkImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  lines: ImportLine[],
): Promise<{ lines: CheckedLine[]; blocked: string | null }> {
  const named = lines.flatMap(({ email, aliases }) => [email, ...aliases]);
  const facts = await readImportFacts(
    ctx,
    named.map(addressOrNull).filter((one) => one !== null),
  );
  const run = { ...facts, callerPrivileges, seen: new Map<string, number>(), made: 0 };
  return { lines: lines.map((line, at) => checkLine(run, line, at)), blocked: facts.blocked };
}

type Run = ImportFacts & {
  callerPrivileges: HeldPrivileges;
  /** Line numbers by address, from 1. */
  seen: Map<string, number>;
  /** New mailboxes so far. */
  made: number;
};

function checkLine(run: Run, line: ImportLine, at: number): CheckedLine {
  if (isInactiveStatus(line.status ?? "")) return skippedLine(line);
  const attempt = attempts();
  const address = attempt("email", () => readFree(run, line.email));
  const existing = existingUnit(run, address);
  const unit = attempt("unit", () => unitFor(run, line, existing));
  const quotaMb = attempt("quota_mb", () => quotaFor(run, line, unit?.id));
  if (existing === null) {
    attempt("name", () => readNewName({ name: line.name }));
    attempt("email", () => requireFreeAddress(run, address));
  }
  const owner = { owner: address, unit: unit?.id };
  const read = line.aliases.map((alias) => attempt("aliases", () => readAlias(run, alias, owner)));
  const aliases = [...new Set(read)].filter((alias) => alias !== null);
  const { problems } = attempt;
  if (existing === null && problems.length === 0) attempt("email", () => countNewMailbox(run));
  // Rejected lines don't reserve their addresses.
  if (problems.length === 0) for (const one of [address!, ...aliases]) run.seen.set(one, at + 1);
  return { outcome: outcomeOf(problems, existing), address, quotaMb, unit, aliases, problems };
}

const skippedLine = ({ email }: ImportLine): CheckedLine => ({
  outcome: "refused",
  address: addressOrNull(email),
  quotaMb: null,
  unit: null,
  aliases: [],
  problems: [{ field: "status", message: "Suspended or archived in the other system" }],
});

function outcomeOf(problems: ImportProblem[], existing: number | null): CheckedLine["outcome"] {
  if (problems.length > 0) return "refused";
  return existing === null ? "new" : "exists";
}

/** The unit of the existing mailbox with this address, if the caller can see it. */
function existingUnit({ taken, callerPrivileges }: Run, address: string | null): number | null {
  const held = address === null ? undefined : taken.get(address);
  return held?.kind === "mailbox" && hasPrivilegeIn(callerPrivileges, "view_users", held.unitId)
    ? held.unitId
    : null;
}

function requireFreeAddress({ taken }: Run, address: string | null): void {
  if (address !== null && taken.has(address)) rejectTaken(address);
}

/** Runs validations and collects their errors by field. */
function attempts() {
  const problems: ImportProblem[] = [];
  const attempt = <T>(field: ImportProblem["field"], read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push({ field, message: error.message.replace(/^[a-z_]+: /, "") });
      return null;
    }
  };
  return Object.assign(attempt, { problems });
}

/** An address in a verified domain that no earlier line uses. */
function readFree(run: Run, text: string): string {
  const address = readNewAddress(text, "email");
  const domain = addressDomain(address);
  if (!run.domains.has(domain)) throw notVerified(domain, "email");
  const line = run.seen.get(address);
  if (line !== undefined) throw new Refusal("invalid", `${address} is already in line ${line}`);
  return address;
}

function rejectTaken(address: string): never {
  throw new Refusal(
    "already_exists",
    `${address} is already used by a mailbox, an alias or a group`,
  );
}

function unitFor(run: Run, line: ImportLine, existing: number | null) {
  if (existing !== null) return run.units.find(({ id }) => id === existing) ?? null;
  return resolveImportUnit(run.units, line.unit, (id) =>
    hasPrivilegeIn(run.callerPrivileges, "create_users", id),
  );
}

function quotaFor(
  run: Run,
  { quotaMb: asked }: ImportLine,
  unitId: number | undefined,
): number | null {
  const wanted = asked === undefined ? undefined : readQuotaMb(asked);
  if (unitId === undefined) return null;
  const usual = run.quotaOfUnit.get(unitId) ?? run.defaultQuotaMb;
  return Math.min(wanted ?? usual, run.quotaMbMax ?? Infinity);
}

/** An alias to create; null if the mailbox already has it. */
function readAlias(
  run: Run,
  text: string,
  { owner, unit }: { owner: string | null; unit: number | undefined },
): string | null {
  const alias = readFree(run, text);
  if (alias === owner) throw new Refusal("invalid", "is already the mailbox's own address");
  const held = run.taken.get(alias);
  if (held?.kind === "alias" && held.mailbox === owner) return null;
  if (held) rejectTaken(alias);
  if (unit !== undefined && !hasPrivilegeIn(run.callerPrivileges, "update_users", unit))
    throw new Refusal(
      "invalid_permission",
      "require the Update users privilege in the mailbox's unit",
    );
  return alias;
}

function countNewMailbox(run: Run): void {
  if (run.room !== null && run.made >= run.room.left)
    throw new Refusal(
      "not_allowed",
      `Your plan allows ${pluralize(run.room.max, "mailbox, and it is", "mailboxes, and all are")} used`,
    );
  run.made += 1;
}

function addressOrNull(text: string): string | null {
  try {
    return readNewAddress(text, "email");
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** What uses an address. */
type Taken =
  | { kind: "mailbox"; unitId: number }
  | { kind: "alias"; mailbox: string }
  /** A group, or anything of another company. */
  | { kind: "other" };

/** Everything that validating an import needs, read at once. */
type ImportFacts = {
  domains: ReadonlySet<string>;
  units: ListedUnit[];
  /** The quota in MB that applies in a unit, set there or by its nearest ancestor. */
  quotaOfUnit: ReadonlyMap<number, number>;
  defaultQuotaMb: number;
  quotaMbMax: number | null;
  /** Mailboxes left in the plan; null without a limit. */
  room: { left: number; max: number } | null;
  taken: ReadonlyMap<string, Taken>;
  /** Why the company can't create any mailbox. */
  blocked: string | null;
};

/** @param named normalized addresses */
async function readImportFacts(ctx: Context, named: string[]): Promise<ImportFacts> {
  const [domains, units, [company], [has], taken] = await Promise.all([
    listVerifiedDomains(ctx),
    listUnits(ctx),
    ctx.db.select().from(companies).where(eq(companies.id, ctx.companyId)),
    ctx.db.select({ all: count() }).from(mailboxes).where(eq(mailboxes.companyId, ctx.companyId)),
    readTaken(ctx, named),
  ]);
  const { mailboxesMax: max, quotaMbMax, defaultQuotaMb, subscriptionActive } = company!;
  return {
    units,
    defaultQuotaMb,
    quotaMbMax,
    taken,
    domains: new Set(domains),
    quotaOfUnit: quotasByUnit(units),
    room: max === null ? null : { max, left: Math.max(max - has!.all, 0) },
    blocked: subscriptionActive
      ? null
      : "The company has no active subscription, so it can't create mailboxes",
  };
}

/** Parents come before their children. */
function quotasByUnit(units: ListedUnit[]): Map<number, number> {
  const quotas = new Map<number, number>();
  for (const { id, parentId, defaultQuotaMb } of units) {
    const quota = defaultQuotaMb ?? (parentId === null ? undefined : quotas.get(parentId));
    if (quota !== undefined) quotas.set(id, quota);
  }
  return quotas;
}

async function readTaken(ctx: Context, named: string[]): Promise<Map<string, Taken>> {
  const rows = await ctx.db.execute<{
    address: string;
    unitId: number | null;
    mailbox: string | null;
  }>(sql`
    select a.address, m.org_unit_id as "unitId", l.mailbox
    from addresses a
      left join mailboxes m on m.address = a.address and m.company_id = ${ctx.companyId}
      left join aliases l on l.address = a.address and a.company_id = ${ctx.companyId}
    where a.address = any(array(
      select jsonb_array_elements_text(${JSON.stringify([...new Set(named)])}::jsonb)))`);
  return new Map(rows.map(({ address, unitId, mailbox }) => [address, toTaken(unitId, mailbox)]));
}

function toTaken(unitId: number | null, mailbox: string | null): Taken {
  if (unitId !== null) return { kind: "mailbox", unitId };
  return mailbox === null ? { kind: "other" } : { kind: "alias", mailbox };
}

type UnitInTree = { id: number; parentId: number | null; name: string };

/**
 * Resolves the unit path of an import line, such as "Sales / Berlin", ignoring case, with or without the
 * root's name. An empty path means the root, or the only unit in which the caller can create mailboxes.
 *
 * @throws Refusal `invalid` for an unknown or missing path, `invalid_permission`
 */
function resolveImportUnit(
  units: UnitInTree[],
  path: string,
  mayCreate: (unitId: number) => boolean,
): UnitInTree {
  const names = path
    .split(/[/>\\]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unit = names.length === 0 ? defaultUnit(units, mayCreate) : findByPath(units, names);
  // The same error for invisible and unknown units.
  if (!unit || !mayCreate(unit.id))
    throw new Refusal("invalid", "doesn't exist, or you can't create mailboxes in it");
  return unit;
}

function defaultUnit(units: UnitInTree[], mayCreate: (unitId: number) => boolean) {
  const allowed = units.filter(({ id }) => mayCreate(id));
  const root = allowed.find(({ parentId }) => parentId === null);
  if (root) return root;
  if (allowed.length > 1) throw new Refusal("invalid", "is required");
  return allowed[0];
}

function findByPath(units: UnitInTree[], names: string[]): UnitInTree | undefined {
  const root = units.find(({ parentId }) => parentId === null);
  if (!root) return undefined;
  const below = (parent: UnitInTree, name: string) =>
    units.find((unit) => unit.parentId === parent.id && isNamed(unit, name));
  const walk = (steps: string[]) =>
    steps.reduce<UnitInTree | undefined>((at, name) => at && below(at, name), root);
  const found = walk(names);
  if (found || !isNamed(root, names[0]!)) return found;
  return walk(names.slice(1));
}

const isNamed = ({ name }: UnitInTree, wanted: string) =>
  name.toLowerCase() === wanted.toLowerCase();
