import {
  mailboxImportLines,
  mailboxImports,
  mailImportErrors,
  mailImportFolders,
  mailImports,
} from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";

import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

type Domain = Awaited<ReturnType<typeof aDomain>>;

/** Imports of mail, and of lists of mailboxes, in every state. */
export async function importShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const domain = await aDomain(companyId, { name: `nw${companyId.slice(-4)}.example` });
  const [done, failed] = await importsInEveryState(domain);
  const admin = await anAdmin(companyId, { isOwner: true, name: "Ann Lee" });
  const as = { cookie: await startSession(db(), admin.id) };
  const [list, running, stopped] = [
    await anImportedList(domain, admin, "done"),
    await anImportedList(domain, admin, "running"),
    await anImportedList(domain, admin, "stopped"),
  ];
  const { id: newId } = await aCompany({ name: "Northwind Trading" });
  const newAdmin = await anAdmin(newId, { isOwner: true, name: "Ann Lee" });
  const fresh = { cookie: await startSession(db(), newAdmin.id) };
  const mail = "/console/mailboxes/import-mail";
  return [
    { name: "import-mail-full", path: mail, as },
    { name: "import-mail-empty", path: mail, as: fresh },
    { name: "import-mail-loading", path: mail, as, before: stallRequests },
    { name: "import-mail-error", path: mail, as, before: failRequests },
    { name: "import-mail-done", path: `${mail}/${done}`, as },
    { name: "import-mail-failed", path: `${mail}/${failed}`, as },
    { name: "import-mail-unknown", path: `${mail}/${crypto.randomUUID()}`, as },
    {
      name: "import-mail-new",
      path: `${mail}/new`,
      as,
      act: (page) => page.getByRole("button", { name: "Test connection" }).click(),
    },
    {
      name: "import-mail-new-app",
      path: `${mail}/new`,
      as,
      async act(page) {
        await page.getByLabel("Old server").selectOption("Microsoft 365, all mailboxes");
        await page.getByLabel("Several mailboxes").check();
        await page.getByRole("button", { name: "Import list" }).click();
        await page.locator("[aria-invalid=true]").first().waitFor();
      },
    },
    { name: "import-list-done", path: `/console/mailboxes/import/${list}`, as },
    { name: "import-list-running", path: `/console/mailboxes/import/${running}`, as },
    { name: "import-list-stopped", path: `/console/mailboxes/import/${stopped}`, as },
    { name: "import-list-unknown", path: `/console/mailboxes/import/${crypto.randomUUID()}`, as },
    { name: "import-lists", path: "/console/mailboxes/import", as },
  ];
}

/** Returns the IDs of the finished import, which has an error, and of the failed one. */
async function importsInEveryState(domain: Domain): Promise<string[]> {
  const ids: string[] = [];
  const states = ["done", "failed", "running", "queued", "canceled"] as const;
  for (const [number, state] of states.entries()) {
    const local = ["ann.lee", "ben.okafor", "carla.diaz-montenegro", "info", "sales"][number]!;
    const { address } = await aMailbox(domain, { address: `${local}@${domain.name}` });
    const messagesTotal = state === "queued" ? 0 : 18_204;
    const messagesDone = state === "done" ? messagesTotal : Math.floor(messagesTotal / 4);
    const [row] = await db()
      .insert(mailImports)
      .values({
        companyId: domain.companyId,
        mailbox: address,
        host: "imap.old-provider.example",
        port: 993,
        security: "tls",
        account: `${local}@old-provider.example`,
        secretKind: "password",
        keepsSecret: true,
        state,
        problem: state === "failed" ? "The server rejected the account or password" : null,
        sealedSecret: state === "done" ? seal("import_secret", "secret") : null,
        bytesImported: 2_400_000_000,
        messagesImported: messagesDone,
        messagesTotal,
        messagesDone,
      })
      .returning();
    ids.push(row!.id);
  }
  for (const [source, target, messages] of [
    ["INBOX", "INBOX", 12_000],
    ["[Gmail]/Sent Mail", "Sent", 6_204],
  ] as const) {
    const [folder] = await db()
      .insert(mailImportFolders)
      .values({
        importId: ids[0]!,
        source,
        target,
        messagesTotal: messages,
        messagesDone: messages,
      })
      .returning();
    if (source === "INBOX")
      await db()
        .insert(mailImportErrors)
        .values({ folderId: folder!.id, uid: 4711, reason: "The message is larger than 50 MB" });
  }
  return ids;
}

/** A list with created mailboxes, whose passwords are still shown, and lines with problems or that wait. */
async function anImportedList(
  domain: Domain,
  { id: adminId, email: startedBy }: { id: string; email: string },
  state: "done" | "running" | "stopped",
): Promise<string> {
  const { companyId, name } = domain;
  const [row] = await db()
    .insert(mailboxImports)
    .values({
      companyId,
      adminId,
      startedBy,
      isConfined: false,
      state,
      problem: state === "stopped" ? "Internal error" : null,
    })
    .returning();
  const importId = row!.id;
  const people = ["Maria Silva", "Tom Berg", "Olga Kern", "Eva Lind"];
  const sealedPassword = seal("temporary_password", "maple-river-58-lamp");
  const created = { state: "created", sealedPassword } as const;
  const failed = { state: "failed", problem: "This address is already used by a mailbox" } as const;
  const waiting = { state: "waiting" } as const;
  const states = {
    done: [created, created, created, failed],
    running: [created, created, waiting, waiting],
    stopped: [created, failed, waiting, waiting],
  }[state];
  for (const [position, person] of people.entries()) {
    const address = `${person.toLowerCase().replace(" ", `.${state}.`)}@${name}`;
    await db()
      .insert(mailboxImportLines)
      .values({
        importId,
        position,
        number: position + 2,
        address,
        name: person,
        aliases: [],
        ...states[position]!,
      });
    if (states[position] === created)
      await aMailbox(domain, { address, name: person, forcePasswordChange: true });
  }
  return importId;
}
