import { count, eq, sql } from "drizzle-orm";

import { type Address, companies, mailboxes } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  listVerifiedDomains,
  notVerified,
  readNewAddress,
  takenError,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { readNewName, readQuotaMb } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { type ListedUnit, listUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { readPrivateAddress } from "#server/core/mailboxes/sign-in/password-link.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { isInactiveStatus } from "#server/universal/imports/read-users.ts";

/** A line of an import, as written. */
export type ImportLine = {
  email: string;
  name: string;
  /** In MB; NaN if it isn't a number. */
  quotaMb?: number | undefined;
  /** Path below the root, such as "Sales / Berlin"; "" for the default unit. */
  unit: string;
  aliases: string[];
  /** A private address that gets a link to set the password; "" for a temporary password. */
  instructionsTo?: string | undefined;
  /** The user's status in the other system. */
  status?: string | undefined;
};

type ImportProblem = {
  field: "email" | "name" | "quota_mb" | "unit" | "aliases" | "instructions_to" | "status";
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
  unit: ImportUnit | null;
  /** Aliases still to be created. */
  aliases: string[];
  instructionsTo: string | null;
  problems: ImportProblem[];
};

/** A unit to create mailboxes in; without an ID, one to be created. */
type ImportUnit = {
  id: number | null;
  name: string;
  /** The unit itself, or the nearest one above it that exists: its privileges and default quota apply. */
  existingId: number;
};

type ImportCheck = {
  lines: CheckedLine[];
  /** Why no mailbox can be created at all. */
  blocked: string | null;
  /** Paths of units that don't exist and that the caller may create, such as "Sales / Berlin". */
  missingUnits: string[];
};

/**
 * Validates an import without creating anything: each line by all rules of creation, including the plan's
 * limit and earlier lines. Concurrent changes can still make a line fail later.
 *
 * @param options.createsUnits whether missing units will be created
 * @returns one result per line, in order
 */
export async function checkImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  lines: ImportLine[],
  { createsUnits = false } = {},
): Promise<ImportCheck> {
  const named = lines.flatMap(({ email, aliases }) => [email, ...aliases]);
  const facts = await readImportFacts(
    ctx,
    named.map(addressOrNull).filter((one) => one !== null),
  );
  const seen = new Map<string, number>();
  const missing = new Map<string, string>();
  const run = { ...facts, callerPrivileges, createsUnits, missing, seen, made: 0 };
  const checked = lines.map((line, at) => checkLine(run, line, at));
  return { lines: checked, blocked: facts.blocked, missingUnits: [...missing.values()] };
}

type Run = ImportFacts & {
  callerPrivileges: HeldPrivileges;
  createsUnits: boolean;
  /** Paths of missing units, by their lowercase. */
  missing: Map<string, string>;
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
  const quotaMb = attempt("quota_mb", () => quotaFor(run, line, unit?.existingId));
  if (existing === null) {
    attempt("name", () => readNewName({ name: line.name }));
    attempt("email", () => requireFreeAddress(run, address));
  }
  const owner = { owner: address, unit: unit?.existingId };
  const read = line.aliases.map((alias) => attempt("aliases", () => readAlias(run, alias, owner)));
  const aliases = [...new Set(read)].filter((alias) => alias !== null);
  const own = [address ?? "", ...aliases];
  const instructionsTo = attempt("instructions_to", () => readInstructionsTo(line, existing, own));
  const { problems } = attempt;
  if (existing === null && problems.length === 0) attempt("email", () => countNewMailbox(run));
  // Rejected lines don't reserve their addresses.
  if (problems.length === 0) for (const one of own) run.seen.set(one, at + 1);
  const outcome = outcomeOf(problems, existing);
  return { outcome, address, quotaMb, unit, aliases, instructionsTo, problems };
}

const readInstructionsTo = (
  { instructionsTo: to = "" }: ImportLine,
  existing: number | null,
  own: string[],
) => (to === "" || existing !== null ? null : readPrivateAddress(to, own, "instructions_to"));

const skippedLine = ({ email }: ImportLine): CheckedLine => ({
  outcome: "refused",
  address: addressOrNull(email),
  quotaMb: null,
  unit: null,
  aliases: [],
  instructionsTo: null,
  problems: [{ field: "status", message: "Suspended or archived in the other system" }],
});

function outcomeOf(problems: ImportProblem[], existing: number | null): CheckedLine["outcome"] {
  if (problems.length > 0) return "refused";
  return existing === null ? "new" : "exists";
}

/** The unit of the existing mailbox with this address, if the caller can see it. */
function existingUnit({ taken, callerPrivileges }: Run, address: string | null): number | null {
  const held = address === null ? undefined : taken.get(address);
  if (!held || held.unitId === null) return null;
  return hasPrivilegeIn(callerPrivileges, "view_users", held.unitId) ? held.unitId : null;
}

function requireFreeAddress({ taken }: Run, address: string | null): void {
  const held = address === null ? undefined : taken.get(address);
  if (held) throw takenError(address!, held.kind);
}

/** Runs validations and collects their errors by field. */
function attempts() {
  const problems: ImportProblem[] = [];
  const attempt = <T>(field: ImportProblem["field"], read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push({ field, message: withoutField(error.message) });
      return null;
    }
  };
  return Object.assign(attempt, { problems });
}

/** A Refusal's message without the field that it begins with. */
export const withoutField = (message: string) => message.replace(/^[a-z_]+(\[\d+\])?: /, "");

/** An address in a verified domain that no earlier line uses. */
function readFree(run: Run, text: string): string {
  const address = readNewAddress(text, "email");
  const domain = addressDomain(address);
  if (!run.domains.has(domain)) throw notVerified(domain, "email");
  const line = run.seen.get(address);
  if (line !== undefined) throw new Refusal("invalid", `${address} is already in line ${line}`);
  return address;
}

function unitFor(run: Run, line: ImportLine, existing: number | null): ImportUnit | null {
  const { units } = run;
  if (existing !== null) {
    const unit = units.find(({ id }) => id === existing);
    return unit ? { ...unit, existingId: existing } : null;
  }
  const names = unitNames(line.unit);
  const mayCreate = (id: number) => hasPrivilegeIn(run.callerPrivileges, "create_users", id);
  const { unit, rest } =
    names.length === 0 ? defaultUnit(units, mayCreate) : findByPath(units, names);
  const path = names.join(" / ");
  if (unit && mayCreate(unit.id)) {
    if (rest.length === 0) return { ...unit, existingId: unit.id };
    if (run.callerPrivileges.privileges.has("manage_settings")) {
      const key = path.toLowerCase();
      run.missing.set(key, run.missing.get(key) ?? path);
      if (run.createsUnits) return { id: null, name: path, existingId: unit.id };
      throw new Refusal("invalid", `The unit ${path} doesn't exist`);
    }
  }
  // The same error for invisible and unknown units.
  throw new Refusal(
    "invalid",
    `The unit ${path} doesn't exist, or you can't create mailboxes in it`,
  );
}

/**
 * Creates the missing units of an import, with those above them.
 *
 * @param paths as `checkImport` returns them
 * @throws Refusal as `createUnit`
 */
export async function createImportUnits(ctx: Context, paths: string[]): Promise<void> {
  const units: UnitInTree[] = await listUnits(ctx);
  for (const path of paths) {
    const { unit, rest } = findByPath(units, unitNames(path));
    let parentId = unit?.id ?? null;
    for (const name of rest) {
      const id = await createUnit(ctx, { parentId, name });
      units.push({ id, parentId, name });
      parentId = id;
    }
  }
}

function quotaFor(run: Run, line: ImportLine, unitId: number | undefined): number | null {
  const wanted = line.quotaMb === undefined ? undefined : readQuotaMb(line.quotaMb);
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
  if (held && held.mailbox !== null && held.mailbox === owner) return null;
  if (held) throw takenError(alias, held.kind);
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

/** What uses an address: all null if it is another company's. */
type Taken = {
  kind: Address["kind"] | null;
  /** The unit of a mailbox. */
  unitId: number | null;
  /** The mailbox of an alias. */
  mailbox: string | null;
};

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
    kind: Address["kind"] | null;
    unitId: number | null;
    mailbox: string | null;
  }>(sql`
    select a.address, m.org_unit_id as "unitId", l.mailbox,
      case when a.company_id = ${ctx.companyId} then a.kind end as kind
    from addresses a
      left join mailboxes m on m.address = a.address and m.company_id = ${ctx.companyId}
      left join aliases l on l.address = a.address and a.company_id = ${ctx.companyId}
    where a.address = any(array(
      select jsonb_array_elements_text(${JSON.stringify([...new Set(named)])}::jsonb)))`);
  return new Map(rows.map(({ address, ...held }) => [address, held]));
}

type UnitInTree = { id: number; parentId: number | null; name: string };

/** Splits a path such as "Sales / Berlin", "/Sales/Berlin" or "Sales > Berlin". */
const unitNames = (path: string): string[] =>
  path
    .split(/[/>\\]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");

/**
 * The root, or the only unit in which the caller can create mailboxes.
 *
 * @throws Refusal `invalid` if there are several
 */
function defaultUnit(units: UnitInTree[], mayCreate: (unitId: number) => boolean): FoundUnit {
  const allowed = units.filter(({ id }) => mayCreate(id));
  const root = allowed.find(({ parentId }) => parentId === null);
  if (!root && allowed.length > 1) throw new Refusal("invalid", "is required");
  return { unit: root ?? allowed[0], rest: [] };
}

type FoundUnit = {
  unit: UnitInTree | undefined;
  /** The names below it that don't exist. */
  rest: string[];
};

/** The unit of a path, or the lowest one of the path that exists, ignoring case, with or without the root's name. */
function findByPath(units: UnitInTree[], names: string[]): FoundUnit {
  const root = units.find(({ parentId }) => parentId === null);
  if (!root) return { unit: undefined, rest: names };
  const walk = (unit: UnitInTree, rest: string[]): FoundUnit => {
    const next = units.find((one) => one.parentId === unit.id && isNamed(one, rest[0] ?? ""));
    return next ? walk(next, rest.slice(1)) : { unit, rest };
  };
  const found = walk(root, names);
  const isBelowRoot = found.rest.length === 0 || !isNamed(root, names[0]!);
  return isBelowRoot ? found : walk(root, names.slice(1));
}

const isNamed = ({ name }: UnitInTree, wanted: string) =>
  name.toLowerCase() === wanted.toLowerCase();
