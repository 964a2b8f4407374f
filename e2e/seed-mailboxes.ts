import {
  domains,
  type mailboxes,
  mailboxSignIns,
  mailboxUsage,
  roles,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { createUnit, ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { db, pool } from "#server/db/pool.ts";
import { aContext, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";

type Overrides = Partial<typeof mailboxes.$inferInsert>;

const GIVEN_NAMES = [
  "Ann",
  "Ben",
  "Carla",
  "Dan",
  "Eve",
  "Fatima",
  "Gustav",
  "Hana",
  "Ivo",
  "Jana",
];
const FAMILY_NAMES = [
  "Lee",
  "Okafor",
  "Ruiz",
  "Sørensen",
  "Nowak",
  "Al-Masri",
  "Brandt",
  "Ito",
  "Petrov",
];
const MB = 1024 * 1024;
const HOUR_S = 3_600;

/** The domain that `signIn` created for the company. */
export async function companyDomain(companyId: string) {
  const all = await db().select().from(domains);
  return all.find((domain) => domain.companyId === companyId)!;
}

/** Limits the mailbox size in the company's plan. */
export const setMailboxSizeMax = (companyId: string, mb: number) =>
  pool().sql`update companies set quota_mb_max = ${mb} where id = ${companyId}`;

/** A mailbox with the usage Dovecot would report. */
export async function aCountedMailbox(
  domain: Awaited<ReturnType<typeof aDomain>>,
  { usedMb = 0, messages = 0, ...overrides }: Overrides & { usedMb?: number; messages?: number },
) {
  const { address } = await aMailbox(domain, { quotaMb: 10_240, ...overrides });
  await db()
    .insert(mailboxUsage)
    .values({ address, messages, usedBytes: Math.round(usedMb * MB) });
  return address;
}

/** The i-th of many mailboxes, with varying state and usage. */
function mailboxState(i: number, at: string) {
  const [given, family] = [
    GIVEN_NAMES[i % GIVEN_NAMES.length]!,
    FAMILY_NAMES[i % FAMILY_NAMES.length]!,
  ];
  const localPart = `${given}.${family}${i}`.toLowerCase().replace(/[^a-z0-9.-]/g, "o");
  return {
    address: `${localPart}@${at}`,
    name: `${given} ${family}`,
    usedMb: (i * 397) % 10_500,
    messages: i * 31,
    suspendedAt: i % 11 === 5 ? new Date().toISOString() : null,
    forcePasswordChange: i % 17 === 7,
  };
}

/**
 * Mailboxes in every state: suspended, on hold, full, or with a required password change, one with a
 * long name and address, and one (`ann`) with aliases and groups. Two domains and two units.
 */
export async function manyMailboxes(companyId: string, count: number) {
  const domain = await companyDomain(companyId);
  const second = await aDomain(companyId);
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const berlin = await createUnit(aContext(companyId), { parentId: sales, name: "Berlin" });
  const root = await ensureRootUnit({ db: db(), companyId });
  const units = [sales, berlin, root];
  for (let i = 0; i < count; i++) {
    const at = i % 9 === 8 ? second : domain;
    const address = await aCountedMailbox(at, {
      ...mailboxState(i, at.name),
      orgUnitId: units[i % 3]!,
    });
    const lastSignIn = Math.floor(Date.now() / 1000) - i * i * HOUR_S;
    if (i % 4 !== 3) await db().insert(mailboxSignIns).values({ address, lastSignIn });
  }
  const ann = await aCountedMailbox(domain, {
    address: `ann.lee@${domain.name}`,
    name: "Ann Lee",
    usedMb: 9_420,
    messages: 18_204,
  });
  for (const alias of ["ann", "hello", "press"])
    await anAlias(domain, ann, `${alias}@${domain.name}`);
  for (const [localPart, name] of Object.entries({ team: "The team", support: "Support" }))
    await aGroup(domain, { address: `${localPart}@${domain.name}`, name, members: [ann] });
  const held = await aCountedMailbox(domain, {
    address: `ben.held@${domain.name}`,
    name: "Ben Okafor",
    usedMb: 120,
    messages: 340,
    sendingHeldAt: new Date().toISOString(),
  });
  const long = await aCountedMailbox(domain, {
    address: `aleksandra.wolfeschlegelsteinhausenbergerdorff-de-la-cruz@${domain.name}`,
    name: "Aleksandra Wolfeschlegelsteinhausenbergerdorff de la Cruz (external, Customer Success)",
    usedMb: 10_300,
    messages: 204_331,
  });
  return { domain, second, sales, ann, held, long };
}

/** Adds app passwords, browser sessions, networks, forwarding, and a vacation reply. */
export async function seedMailboxActivity(companyId: string, address: string) {
  const ctx = aContext(companyId);
  await createAppPassword(ctx, address, "Thunderbird at home");
  await createAppPassword(ctx, address, "Phone");
  const agents = {
    "203.0.113.24": "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0",
    "2001:db8:17:4::9": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Safari/604.1",
  };
  for (const [clientAddress, userAgent] of Object.entries(agents)) {
    await startAccountSession(db(), address, { clientAddress, userAgent });
    await db().insert(signInNetworks).values({ account: address, network: clientAddress });
  }
  const vacation = { isOn: true, subject: "Away until January", text: "I am away." };
  await saveRules(ctx, address, {
    forwardTo: ["ann@example.net"],
    keepCopy: true,
    vacation: { ...vacation, startsOn: "2026-12-20", endsOn: "2027-01-06", timeZone: "Etc/UTC" },
  });
}

/** Units on four levels, with policies and a role. */
export async function manyUnits(companyId: string) {
  const ctx = aContext(companyId);
  const root = await ensureRootUnit({ db: db(), companyId });
  const make = (name: string, parentId: number | null = null) =>
    createUnit(ctx, { name, parentId });
  const sales = await make("Sales");
  const berlin = await make("Berlin", sales);
  const desk = await make("Service desk", berlin);
  const lisbon = await make("Lisbon", sales);
  for (const name of ["Engineering", "Finance", "People", "Warehouse", "Legal", "Marketing"])
    await make(name);
  await make("Interns and people who are with us for one season only, in all offices", berlin);
  await make("Night shift", desk);
  await setPolicies(ctx, root, { pop3Allowed: false, passwordLengthMin: 14 });
  await setPolicies(ctx, sales, { outsideAllowed: true, defaultQuotaMb: 5_120 });
  await setPolicies(ctx, berlin, { pop3Allowed: true });
  await db()
    .insert(roles)
    .values({ companyId, name: "Berlin help desk", privileges: ["view_users"], orgUnitId: berlin });
  const domain = await companyDomain(companyId);
  for (const orgUnitId of [root, sales, berlin, berlin, desk, lisbon])
    await aCountedMailbox(domain, { orgUnitId });
  return { root, sales, berlin, desk, lisbon };
}
