import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import { messages, quarantine } from "#drizzle/schema/index.ts";
import { addArcSeal } from "#server/core/mail/authentication/arc-seal.ts";
import {
  encodePendingPost,
  type Post,
  type Posted,
  type VerifiedAuthor,
} from "#server/core/mail/group-posts/post.ts";
import type { NewMessage } from "#server/core/sending/messages/messages.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { deriveId, type RepeatIds } from "#server/core/shared/derive-id.ts";
import { encodedWords } from "#server/core/shared/mime/encoded-words.ts";
import { fieldValue, type HeaderField } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";

import type { ExpandedMembers } from "./expand-members.ts";

/** At most one message each for mailboxes here, for outside addresses, and for other companies' groups here. */
export type Copies = {
  here: NewMessage | null;
  outside: NewMessage | null;
  groups: NewMessage | null;
};

type CopySource = {
  companyId: string;
  /** The address in RCPT TO, and its domain's id; null if the domain isn't on this appliance. */
  address: string;
  domainId: string | null;
  post: Post;
  author: VerifiedAuthor | null;
  /** The copy, not sealed yet. */
  copy: Message;
  members: ExpandedMembers;
};

/**
 * Makes the messages that carry a post to its recipients. Their senders get no bounces, since they aren't responsible
 * for the member list and must not learn it. Copies that leave the appliance are DKIM-signed for the domain of a
 * signed-in author, or ARC-sealed otherwise.
 */
export async function makeCopies(db: Db, made: CopySource): Promise<Copies> {
  const { members, copy, post } = made;
  return {
    // Their groups check who can post.
    groups:
      members.foreignGroups.size > 0
        ? toMessage(made, encodePendingPost({ ...post, message: copy }).raw, members.foreignGroups)
        : null,
    here: members.here.size > 0 ? toMessage(made, copy.raw, members.here.values()) : null,
    outside:
      members.outside.size > 0
        ? {
            ...toMessage(made, await outsideContent(db, made), members.outside),
            signingDomainId: signingDomain(made),
          }
        : null,
  };
}

function toMessage(made: CopySource, content: Buffer, recipients: Iterable<string>): NewMessage {
  const { companyId, address, post } = made;
  const { headerFrom, subject, messageId } = post.message.header;
  return {
    companyId,
    origin: "group",
    mailbox: null,
    groupAddress: address,
    sender: post.sender,
    isSenderTold: false,
    signingDomainId: null,
    content,
    recipients: [...recipients].map((address) => ({ address })),
    headerFrom,
    subject,
    messageId,
    clientAddress: post.clientAddress,
  };
}

/** Seals only what we verified on arrival: a signed-in author could have forged our Authentication-Results. */
async function outsideContent(db: Db, { post, copy, domainId }: CopySource): Promise<Buffer> {
  const bare = copy.without(copy.fields.filter(({ name }) => name.startsWith("x-posthouse-")));
  return post.author || domainId === null ? bare.raw : addArcSeal(db, bare, { domainId });
}

const signingDomain = ({ post, author }: CopySource): string | null =>
  post.author && author?.companyId === post.author.companyId ? author.domainId : null;

export type CopyOf = {
  list: List;
  /** Replies go to the group. */
  isRepliedToGroup: boolean;
  /** The group on this appliance that the message came through; null for none. */
  earlier: List | null;
};

/**
 * Writes the copy for a group's members: prepends our fields and leaves everything else unchanged, so that DKIM
 * signatures stay valid. List fields of outside lists are kept; those of another group on this appliance are
 * replaced. If replies go to the group, Reply-To is replaced, which breaks signatures that cover it; the ARC seal
 * makes up for that.
 */
export function writeCopy(message: Message, copy: CopyOf): Message {
  const { raw, fields } = message;
  const dropped = new Set(fields.filter((field) => isReplaced(raw, field, copy)));
  const kept = new Set(fields.filter((field) => !dropped.has(field)).map(({ name }) => name));
  const added = [
    { name: "Delivered-To", value: copy.list.address },
    ...listFields(copy.list).filter(({ name }) => !kept.has(name.toLowerCase())),
    ...(copy.isRepliedToGroup ? [{ name: "Reply-To", value: copy.list.address }] : []),
  ];
  const top = added.map(({ name, value }) => `${name}: ${value}\r\n`).join("");
  return message.withFields(top, [...dropped]);
}

function isReplaced(
  content: Buffer,
  field: HeaderField,
  { isRepliedToGroup, earlier }: CopyOf,
): boolean {
  if (field.name === "reply-to") return isRepliedToGroup;
  if (!earlier) return false;
  const value = fieldValue(content, field);
  if (field.name === "list-id") return true;
  return listFields(earlier).some(
    (ours) => ours.name.toLowerCase() === field.name && ours.value === value,
  );
}

export type List = { address: string; name: string };

/** A header field with a folded value. */
export type ListField = { name: string; value: string };

const LINE_CHARS_WANTED = 78;

// A phrase of atoms needs no quotes (RFC 5322, 3.2.3).
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;

/** `<team.example.com>` for team@example.com (RFC 2919, 3). */
const formatListId = (address: string) => `<${address.replace("@", ".")}>`;

/**
 * The list fields of a message (RFC 2369, RFC 2919). Unsubscribe requests go to the domain's postmaster, that is to
 * the company's owners, who can remove a member.
 */
export const listFields = ({ address, name }: List): ListField[] => [
  { name: "List-Id", value: folded("List-Id", [...phrase(name), formatListId(address)]) },
  { name: "List-Post", value: `<mailto:${address}>` },
  { name: "List-Unsubscribe", value: `<mailto:${unsubscribeAt(address)}>` },
  { name: "Precedence", value: "list" },
];

function unsubscribeAt(address: string): string {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return `postmaster@${domain}?subject=${encodeURIComponent(`unsubscribe ${address}`)}`;
}

/** The words of a display name, encoded if they aren't plain atoms (RFC 2047, 5). */
function phrase(name: string): string[] {
  if (name === "") return [];
  const isPlain = ATOMS.test(name) && !name.includes("=?");
  return isPlain ? name.split(" ") : encodedWords(name);
}

function folded(field: string, words: string[]): string {
  let width = field.length + 1;
  return words
    .map((word, i) => {
      const fits = i === 0 || width + 1 + word.length <= LINE_CHARS_WANTED;
      width = fits ? width + 1 + word.length : word.length + 1;
      return i === 0 ? word : `${fits ? "" : "\r\n"} ${word}`;
    })
    .join("");
}

/** The ids of a distribution's messages. */
export const copyIds = (id: string): Record<"here" | "outside" | "groups", string> => ({
  here: deriveId(id, "here"),
  outside: deriveId(id, "outside"),
  groups: deriveId(id, "groups"),
});

/** The recipient count of a committed distribution; null if there is none. */
export async function findDistribution(db: Db, id: string, isRecent?: SQL): Promise<number | null> {
  const rows = await db
    .select({ recipients: messages.recipientCount })
    .from(messages)
    .where(and(inArray(messages.id, Object.values(copyIds(id))), isRecent));
  return rows.length === 0 ? null : rows.reduce((sum, { recipients }) => sum + recipients, 0);
}

/** The result of an earlier delivery of the same message; null if there was none. */
export async function findRepeat(
  db: Db,
  { id, previous, repeatsForMs }: RepeatIds,
): Promise<Posted | null> {
  const done = await findDistribution(db, id);
  if (done !== null) return { kind: "distributed", recipients: done };
  if (previous === null) return null;
  const isRecent = (createdAt: PgColumn) =>
    gt(createdAt, sql`statement_timestamp() - ${repeatsForMs} * interval '1 millisecond'`);
  const before = await findDistribution(db, previous, isRecent(messages.createdAt));
  if (before !== null) return { kind: "distributed", recipients: before };
  const isHeld = and(eq(quarantine.id, previous), isRecent(quarantine.createdAt));
  return (await db.$count(quarantine, isHeld)) > 0 ? { kind: "held" } : null;
}

/** What the header says about a message's path and origin. */
export type RoutingFields = {
  /** The number of Received fields. */
  received: number;
  /** Lowercase addresses it was already delivered to. */
  deliveredTo: ReadonlySet<string>;
  /** `<team.example.com>`, lowercase; null without a list. */
  listId: string | null;
  /** A vacation reply or another automatic response (RFC 3834). */
  isAutoReply: boolean;
};

export function readRoutingFields(message: Message): RoutingFields {
  const deliveredTo = [...message.values("delivered-to"), ...message.values("x-loop")];
  return {
    received: message.named("received").length,
    deliveredTo: new Set(
      deliveredTo.flatMap((text) => parseAddress(text.slice(0, 320))?.address ?? []),
    ),
    listId:
      /<[^<>]*>\s*$/
        .exec(message.value("list-id")?.slice(-1000) ?? "")?.[0]
        .trim()
        .toLowerCase() ?? null,
    isAutoReply:
      message.values("auto-submitted").some((value) => /^auto-(replied|notified)\b/i.test(value)) ||
      message.values("precedence").some((value) => /^auto_reply\b/i.test(value)) ||
      message.values("x-autoreply").some((value) => !/^no\b/i.test(value)),
  };
}

// More hops than legitimate mail has.
const RECEIVED_MAX = 50;

/** Whether the message has already been delivered to the address, or loops elsewhere. */
export function isLooping(
  { received, deliveredTo, listId }: RoutingFields,
  address: string,
): boolean {
  return received > RECEIVED_MAX || deliveredTo.has(address) || listId === formatListId(address);
}
