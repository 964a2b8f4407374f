import type { Post, Posted } from "#server/core/mail/group-posts/post.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { postToOwners } from "#server/core/mail/group-posts/post-to-owners.ts";
import type { LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { Db } from "#server/db/client.ts";
import type { Carrier, Outcome, SevenBit } from "#worker/delivery/delivery.ts";

import { deferLocalRejections, outcomeOfEach } from "./outcomes.ts";
import type { Envelope, KnownHere, Way } from "./plan-deliveries.ts";
import type { DeliveryKind } from "./source.ts";

export type Letter = {
  id: string;
  message: Buffer;
  sevenBit?: SevenBit | undefined;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom: string;
  /** A recipient as written in commands to other servers. */
  rcptTo: (recipient: string) => string;
  /** Called only if a group is among the recipients. */
  author: () => Pick<Post, "from" | "author" | "isFromVerified" | "clientAddress">;
};

type Means = { db: Db; carrier: Carrier; resolved: KnownHere["resolved"] };

/**
 * Delivers a message to the recipients of one envelope.
 *
 * @returns an outcome for each recipient, in their order
 * @throws Error for a temporary problem on our side
 */
export async function deliverEnvelope(
  { way, recipients }: Envelope,
  letter: Letter,
  { db, carrier, resolved }: Means,
): Promise<Outcome[]> {
  switch (way.kind) {
    case "carried": {
      const named = new Map(
        recipients.map(({ recipient }) => [letter.rcptTo(recipient), recipient]),
      );
      const said = await carrier.deliver({
        route: way.route(),
        envelopeFrom: letter.envelopeFrom,
        recipients: [...named.keys()],
        message: letter.message,
        sevenBit: letter.sevenBit,
      });
      const outcomes = said.map((outcome) => ({
        ...outcome,
        recipient: named.get(outcome.recipient) ?? outcome.recipient,
      }));
      return outcomeOfEach(
        recipients,
        way.isHere ? deferLocalRejections(outcomes, resolved) : outcomes,
      );
    }
    case "group":
    case "owners":
      return Promise.all(
        recipients.map(async ({ recipient }) =>
          outcomeOf(recipient, await post(db, way, { recipient, letter })),
        ),
      );
    case "nobody":
      return recipients.map(nobody);
  }
}

export function kindOf(way: Way): DeliveryKind {
  if (way.kind === "carried") return way.isHere ? "delivered" : "relayed";
  return "expanded";
}

type Posting = { recipient: string; letter: Letter };

function post(
  db: Db,
  way: Extract<Way, { kind: "group" | "owners" }>,
  { recipient, letter }: Posting,
): Promise<Posted> {
  const { id, message: content, envelopeFrom: sender } = letter;
  const given: Post = { id, sender, content, ...letter.author() };
  return way.kind === "group"
    ? postToGroup(db, way.group, given)
    : postToOwners(db, way.companyId, recipient, given);
}

/** A group rejects a message for its content, author or size, so the address is never suppressed. */
function outcomeOf(recipient: string, posted: Posted): Outcome {
  if (posted.as === "refused") {
    const isForNow = posted.enhancedCode.startsWith("4.");
    return {
      ...{ recipient, result: isForNow ? "delayed" : "bounced", dsn: posted.enhancedCode },
      ...{ message: posted.text, suppress: false },
    };
  }
  return {
    recipient,
    result: "delivered",
    dsn: "2.0.0",
    message: SAID[posted.as],
    suppress: false,
  };
}

const SAID = {
  distributed: "Handed on to the members",
  held: "Waits for a moderator of the group",
  discarded: "Taken by the group, which hands it to nobody",
};

/** Not suppressed: a mailbox with this address may be created tomorrow. */
const nobody = ({ recipient }: LeasedRecipient): Outcome => ({
  ...{ recipient, result: "bounced", dsn: "5.1.1" },
  ...{ message: "No such address here", suppress: false },
});
