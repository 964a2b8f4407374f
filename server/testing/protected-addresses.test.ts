import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { mailboxShares } from "#drizzle/schema/index.ts";
import { aliasesApi } from "#server/resources/mailboxes/aliases.ts";
import { mailboxesApi } from "#server/resources/mailboxes/api.ts";
import { mailboxAccessConsole } from "#server/resources/mailboxes/access.ts";
import { mailboxesConsole } from "#server/resources/mailboxes/console.ts";
import { groupsApi, groupsConsole } from "#server/resources/groups.ts";
import {
  inboundAddressesApi,
  inboundAddressesConsole,
} from "#server/resources/inbound-addresses.ts";
import { receivedApi } from "#server/resources/received/api.ts";
import { receivedConsole } from "#server/resources/received/console.ts";
import { invitationsConsole } from "#server/resources/invitations.ts";
import { onHoldConsole } from "#server/resources/on-hold.ts";
import { quarantineConsole } from "#server/resources/quarantine.ts";
import { deletedItemsConsole } from "#server/resources/deleted-items.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { quarantineMessage } from "#server/core/mail/quarantine/quarantine-message.ts";
import { parseReceived } from "#server/core/mail/received/parse-received.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import { db } from "#server/db/pool.ts";

import { call } from "./call.ts";
import { aCompany, aContext, aGroup, anAdmin, anAlias, anInboundAddress } from "./factories.ts";
import { anOwnDovecot } from "./groups.ts";
import {
  companyId,
  domain,
  helpdesk,
  owner,
  prepareCompany,
  at,
  ceo,
  anOwnerAt,
  aMailboxOf,
  type Ask,
  atConsole,
  byKey,
  shareOf,
  forward,
  refused,
} from "./protected-company.ts";

// Mail to an admin's sign-in address can reset their password, so an admin who reads it can become that admin.

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(prepareCompany);

async function aReceived(receivedFor: string): Promise<string> {
  const key = randomUUID();
  await receiveEmail(db(), {
    key,
    repeatsForMs: null,
    companyId,
    receivedFor: [receivedFor],
    sender: "",

    message: new Message(Buffer.from("From: a@x.example\r\nSubject: x\r\n\r\nSecret\r\n")),
    isChecked: true,
  });
  const [{ id }] = (await db().execute(
    `select id from received_emails where company_id = '${companyId}'`,
  )) as unknown as [{ id: string }];
  await parseReceived(db(), id);
  return id;
}

async function aQuarantined(recipient: string): Promise<string> {
  const { id } = await quarantineMessage(db(), {
    companyId,
    reason: "spam",
    sender: "e@x.example",
    headerFrom: "E",
    subject: "Win",
    recipients: [recipient],
    clientAddress: "198.51.100.7",
    score: 12,
    findings: ["B"],
    content: Buffer.from("From: e@x.example\r\nSubject: Win\r\n\r\nWin!\r\n"),
  });
  return id;
}

/** Each prepares a company with an owner, and returns what would let the caller read the owner's mail. */
const TAKEOVERS: [name: string, prepare: () => Promise<Ask>][] = [
  ...(
    [
      ["sharing", () => shareOf(ceo())],
      [
        "resetting the password",
        () => atConsole(mailboxAccessConsole.resetPassword, { email: ceo() }),
      ],
      ["resetting the password by key", () => byKey(mailboxesApi.resetPassword, { email: ceo() })],
      [
        "resetting it in capitals",
        () => byKey(mailboxesApi.resetPassword, { email: ceo().toUpperCase() }),
      ],
      [
        "resetting the second factor",
        () => atConsole(mailboxAccessConsole.resetSecondFactor, { email: ceo() }),
      ],
      [
        "unlinking the provider's account",
        () => atConsole(mailboxAccessConsole.unlink, { email: ceo() }),
      ],
    ] as const
  ).map(([name, ask]): [string, () => Promise<Ask>] => [
    `${name} of the mailbox`,
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      return ask();
    },
  ]),
  [
    "sending a password link",
    async () => {
      await anOwnerAt();
      await aMailboxOf("ceo", { forcePasswordChange: true });
      return atConsole(
        mailboxAccessConsole.resendPasswordLink,
        { email: ceo() },
        { to: "me@home.example" },
      );
    },
  ],
  [
    "securing the mailbox on hold",
    async () => {
      await anOwnerAt();
      await aMailboxOf("ceo", { sendingHeldAt: "2026-03-04T10:15:00Z" });
      return atConsole(onHoldConsole.containMailbox, { mailbox: ceo() });
    },
  ],
  ...(
    [
      ["a mailbox", () => atConsole(mailboxesConsole.create, {}, { email: ceo(), name: "C" })],
      ["a mailbox by key", () => byKey(mailboxesApi.create, {}, { email: ceo(), name: "C" })],
      [
        "a mailbox that has it as an alias",
        () =>
          atConsole(mailboxesConsole.create, {}, { email: at("new"), name: "N", aliases: [ceo()] }),
      ],
      [
        "a mailbox with a link",
        () =>
          atConsole(
            mailboxesConsole.create,
            {},
            { email: ceo(), name: "C", instructionsTo: "me@home.example" },
          ),
      ],
      [
        "an alias",
        () =>
          atConsole(mailboxAccessConsole.addAlias, { email: at("helpdesk") }, { address: ceo() }),
      ],
      [
        "an alias by key",
        () => byKey(aliasesApi.add, { email: at("helpdesk") }, { address: ceo() }),
      ],
      [
        "the address of a renamed mailbox",
        () => atConsole(mailboxesConsole.rename, { email: at("helpdesk") }, { address: ceo() }),
      ],
      [
        "a catch-all",
        () =>
          atConsole(mailboxAccessConsole.addAlias, { email: at("helpdesk") }, { address: at("*") }),
      ],
      [
        "a group",
        () => atConsole(groupsConsole.create, {}, { address: ceo(), name: "", members: [] }),
      ],
      ["a group by key", () => byKey(groupsApi.create, {}, { address: ceo(), members: [] })],
      [
        "an inbound address",
        () => atConsole(inboundAddressesConsole.create, {}, { address: ceo() }),
      ],
      [
        "an inbound address by key",
        () => byKey(inboundAddressesApi.create, {}, { address: ceo() }),
      ],
      ["an inbound catch-all", () => byKey(inboundAddressesApi.create, {}, { address: at("*") })],
    ] as const
  ).map(([name, ask]): [string, () => Promise<Ask>] => [
    `creating ${name} for an address without one`,
    async () => {
      await anOwnerAt();
      return ask();
    },
  ]),
  [
    "creating the address without the tag",
    async () => {
      await anOwnerAt("ceo+console");
      return byKey(mailboxesApi.create, {}, { email: ceo(), name: "C" });
    },
  ],
  [
    "renaming the mailbox",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      return atConsole(mailboxesConsole.rename, { email: ceo() }, { address: at("new") });
    },
  ],
  [
    "forwarding its mail",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      const forwarding = { forwardTo: [at("helpdesk")], keepCopy: true };
      return atConsole(mailboxAccessConsole.saveRules, { email: ceo() }, { forwarding });
    },
  ],
  [
    "resetting the mailbox that a tagged address belongs to",
    async () => {
      await anOwnerAt("ceo+console");
      await aMailboxOf();
      return byKey(mailboxesApi.resetPassword, { email: ceo() });
    },
  ],
  [
    "resetting the mailbox of an alias",
    async () => {
      await anOwnerAt("boss");
      await aMailboxOf();
      await anAlias(domain, ceo(), at("boss"));
      return byKey(mailboxesApi.resetPassword, { email: ceo() });
    },
  ],
  [
    "resetting the mailbox of a catch-all",
    async () => {
      await anOwnerAt("nobody");
      await aMailboxOf();
      await anAlias(domain, ceo(), at("*"));
      return byKey(mailboxesApi.resetPassword, { email: ceo() });
    },
  ],
  [
    "resetting the mailbox that it forwards to",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      await aMailboxOf("assistant");
      await forward(ceo(), at("Assistant+Copy"));
      return byKey(mailboxesApi.resetPassword, { email: at("assistant") });
    },
  ],
  [
    "creating the address that it forwards to",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      await forward(ceo(), at("archive"));
      return byKey(inboundAddressesApi.create, {}, { address: at("archive") });
    },
  ],
  [
    "resetting a mailbox that it is shared with",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      await aMailboxOf("assistant");
      await db()
        .insert(mailboxShares)
        .values({ mailbox: ceo(), member: at("assistant"), access: "read", sendAs: false });
      return byKey(mailboxesApi.resetPassword, { email: at("assistant") });
    },
  ],
  [
    "joining a group that it is shared with",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      await aGroup(domain, { address: at("assistants") });
      await db()
        .insert(mailboxShares)
        .values({ mailbox: ceo(), member: at("assistants"), access: "read", sendAs: false });
      return atConsole(
        groupsConsole.changeMembers,
        { address: at("assistants") },
        { add: [at("helpdesk")] },
      );
    },
  ],
  ...(
    [
      [
        "joining",
        () => atConsole(groupsConsole.changeMembers, { address: ceo() }, { add: [at("helpdesk")] }),
      ],
      [
        "replacing the members of",
        () => byKey(groupsApi.update, { address: ceo() }, { members: ["me@home.example"] }),
      ],
      [
        "becoming a moderator of",
        () =>
          atConsole(
            groupsConsole.updateAccess,
            { address: ceo() },
            { moderation: "all", moderators: [at("helpdesk")] },
          ),
      ],
      [
        "creating a member of",
        () =>
          atConsole(mailboxesConsole.create, {}, { email: at("new"), name: "N", groups: [ceo()] }),
      ],
      ["resetting a member of", () => byKey(mailboxesApi.resetPassword, { email: at("member") })],
      ["sharing a member of", () => shareOf(at("member"))],
      [
        "creating a missing member of",
        () => byKey(groupsApi.create, {}, { address: at("gone"), members: [] }),
      ],
      [
        "joining a group in",
        () =>
          atConsole(
            groupsConsole.changeMembers,
            { address: at("inner") },
            { add: [at("helpdesk")] },
          ),
      ],
    ] as const
  ).map(([name, ask]): [string, () => Promise<Ask>] => [
    `${name} the group with the address`,
    async () => {
      await anOwnerAt();
      await aMailboxOf("member");
      await aGroup(domain, { address: at("inner") });
      await aGroup(domain, { address: ceo(), members: [at("member"), at("gone"), at("inner")] });
      return ask();
    },
  ]),
  [
    "removing the alias, so that a catch-all receives its mail",
    async () => {
      await anOwnerAt("boss");
      await aMailboxOf();
      await anAlias(domain, ceo(), at("boss"));
      await anAlias(domain, at("helpdesk"), at("*"));
      return atConsole(mailboxAccessConsole.removeAlias, { email: ceo(), address: at("boss") });
    },
  ],
  [
    "removing a tagged alias by key, so that the address without the tag receives its mail",
    async () => {
      await anOwnerAt("helpdesk+boss");
      await aMailboxOf();
      await anAlias(domain, ceo(), at("helpdesk+boss"));
      return byKey(aliasesApi.remove, { email: ceo(), address: at("helpdesk+boss") });
    },
  ],
  [
    "reading the mail of an inbound address",
    async () => {
      await anOwnerAt();
      await anInboundAddress(domain, ceo());
      return byKey(receivedApi.get, { id: await aReceived(ceo()) });
    },
  ],
  [
    "reading the mail of an inbound catch-all at the console",
    async () => {
      await anOwnerAt();
      await anInboundAddress(domain, at("*"));
      return atConsole(receivedConsole.get, { id: await aReceived(ceo()) });
    },
  ],
  [
    "downloading the mail of an inbound address",
    async () => {
      await anOwnerAt();
      await anInboundAddress(domain, ceo());
      return atConsole(receivedConsole.downloadSource, { id: await aReceived(ceo()) });
    },
  ],
  [
    "reading it in quarantine",
    async () => {
      await anOwnerAt();
      await aMailboxOf();
      return atConsole(quarantineConsole.get, { id: await aQuarantined(ceo()) });
    },
  ],
  [
    "creating the mailbox of an invited owner",
    async () => {
      const body = { email: at("soon"), isOwner: true };
      expect(await call(invitationsConsole.invite, { cookie: owner.cookie, body })).toMatchObject({
        status: 200,
      });
      return byKey(mailboxesApi.create, {}, { email: at("soon"), name: "S" });
    },
  ],
];

describe("the mail of an owner", () => {
  test.each(TAKEOVERS)("%s: rejected for others, allowed for owners", async (_, prepare) => {
    const ask = await prepare();
    const answer = await ask(helpdesk);
    expect(answer).toMatchObject(refused);
    expect((answer.body as { message: string }).message).toContain("Ask an owner");
    expect((await ask(owner)).status).not.toBe(403);
  });

  test("restoring and deleting a mailbox are checked too", async () => {
    // Owners can do both, but not to the address of an operator.
    await anAdmin((await aCompany()).id, { email: at("root"), isOperator: true });
    await aMailboxOf("root");
    await anAlias(domain, at("helpdesk"), at("*"));
    expect(await atConsole(mailboxesConsole.delete, { email: at("root") })(owner)).toMatchObject(
      refused,
    );
    const { deletedId } = await deleteMailbox(aContext(companyId), at("root"));
    expect(await atConsole(deletedItemsConsole.restore, { id: deletedId })(owner)).toMatchObject(
      refused,
    );
  });
});
