import { setTimeout as delay } from "node:timers/promises";

import type { SMTPServerAddress, SMTPServerSession } from "smtp-server";

import { isAllowedSender } from "#server/core/mail/authentication/owned-domains.ts";
import { readReversePath } from "#server/core/shared/addresses/parse-address.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { findListing } from "#server/core/mail/spam/find-listing.ts";

import type { MessageMemory } from "./collect-message.ts";
import { checkParameters, MAIL_PARAMETERS, SmtpReply } from "./smtp-reply.ts";
import type { DeliveryOutcome } from "./deliver.ts";
import type { MxContext, Incoming, AcceptedRecipient } from "./mx-context.ts";
import { type ListenerLimits, toWideNetwork } from "./limits.ts";
import { receiveMessage } from "./on-data.ts";
import { acceptRecipient, requireSeparateMessage, UnknownRecipient } from "./on-rcpt-to.ts";

/** Per connection. A client with more unknown recipients is guessing, unless its network has sent clean mail. */
const UNKNOWN_RECIPIENTS_MAX = 10;
const TARPIT_STEPS_MAX = 5;

/** The state of one connection of another mail server. */
export class MxSession {
  readonly network: string | null;
  readonly #context: MxContext;
  readonly #limits: ListenerLimits;
  readonly #session: SMTPServerSession;
  readonly #listing: Promise<string | null>;
  readonly #accepted = new Map<string, AcceptedRecipient>();
  /** Result of the SPF check of the current MAIL transaction; null until a recipient needs it. */
  #isAllowedSender: Promise<boolean> | null = null;
  #unknownRecipients = 0;

  /** @throws SmtpReply when a limit is reached */
  constructor(
    session: SMTPServerSession,
    {
      context,
      limits,
      close,
    }: { context: MxContext; limits: ListenerLimits; close: (reply: SmtpReply) => void },
  ) {
    this.#context = context;
    this.#limits = limits;
    this.#session = session;
    this.network = limits.networkOf(session.remoteAddress);
    if (this.network !== null && !this.#isKnown) limits.guesses.check(this.network);
    limits.connections.enter(this, {
      network: this.network,
      wideNetwork: toWideNetwork(session.remoteAddress),
      end: close,
    });
    this.#listing = lookUpBlocklists(context, session.remoteAddress);
  }

  /** Releases the connection slot. */
  end(): void {
    this.#limits.connections.leave(this);
  }

  /** @throws SmtpReply */
  mailFrom(sender: SMTPServerAddress): void {
    this.#isAllowedSender = null;
    checkParameters(sender, MAIL_PARAMETERS);
    if (readReversePath(sender.address) === null)
      throw new SmtpReply(553, "5.1.7", "The sender address is invalid");
    if (this.network !== null) this.#limits.rate.count(this.network);
  }

  /**
   * Checks a recipient. Replies to unknown recipients are delayed, longer each time.
   *
   * @throws SmtpReply
   */
  async rcptTo(recipient: SMTPServerAddress): Promise<void> {
    await this.#limits.connections.whileWorking(this, () => this.#checkRecipient(recipient));
  }

  async #checkRecipient(recipient: SMTPServerAddress): Promise<void> {
    checkParameters(recipient, []);
    try {
      const client = { clientAddress: this.#session.remoteAddress, sender: this.#sender() };
      const accepted = await acceptRecipient(this.#context, recipient.address, {
        ...client,
        listing: this.#listing,
      });
      await requireSeparateMessage(accepted, {
        others: this.#recipients(),
        isAllowedSender: () => this.#checkSender(client),
      });
      this.#accepted.set(recipient.address, accepted);
    } catch (error) {
      if (!(error instanceof UnknownRecipient)) throw error;
      if (this.network !== null) this.#limits.guesses.count(this.network);
      await delay(
        Math.min(this.#unknownRecipients++, TARPIT_STEPS_MAX) * this.#limits.tarpitStepMs,
      );
      throw this.#unknownRecipients > UNKNOWN_RECIPIENTS_MAX && !this.#isKnown
        ? new SmtpReply(421, "4.7.0", "Too many unknown recipients")
        : error;
    }
  }

  /** A provider's address is shared: its unknown recipients must not block the mail to others. */
  get #isKnown(): boolean {
    return this.network !== null && this.#limits.connections.isKnown(this.network);
  }

  /** Checks SPF once for all recipients, because a check can make many DNS queries. */
  #checkSender(client: { clientAddress: string; sender: string }): Promise<boolean> {
    const { cachedResolver: resolver, hostname } = this.#context;
    this.#isAllowedSender ??= isAllowedSender(
      { ...client, helo: this.#session.hostNameAppearsAs },
      { resolver, hostname },
    );
    return this.#isAllowedSender;
  }

  /** The envelope of the next message. Forgets its recipients. */
  incoming(): Incoming {
    const { remoteAddress, hostNameAppearsAs, transmissionType, id, transaction } = this.#session;
    const recipients = this.#recipients();
    this.#accepted.clear();
    return {
      sender: this.#sender(),
      helo: hostNameAppearsAs,
      clientAddress: remoteAddress,
      recipients,
      protocol: transmissionType,
      id: `${id}.${transaction}`,
    };
  }

  /** Memory reserved for the incoming message. */
  messageMemory(): MessageMemory {
    const onPiece = (bytes: number) => this.#limits.connections.receive(this, bytes);
    return { memory: this.#limits.memory, owner: this.network, onChunk: onPiece };
  }

  /**
   * Handles a message. If it is clean, the sender's network can use the reserved connections from then on.
   *
   * @returns outcomes of all recipients except the appliance's own addresses
   * @throws SmtpReply
   */
  async receive(message: Message, incoming: Incoming): Promise<DeliveryOutcome[]> {
    const { connections } = this.#limits;
    const { isClean, outcomes } = await connections.whileWorking(this, () =>
      receiveMessage(message, incoming, this.#context),
    );
    if (isClean) connections.trust(this);
    return outcomes;
  }

  /** The recipients of the current message. */
  #recipients(): AcceptedRecipient[] {
    return this.#session.envelope.rcptTo.map(({ address }) => this.#accepted.get(address)!);
  }

  #sender(): string {
    const { mailFrom } = this.#session.envelope;
    return (mailFrom && readReversePath(mailFrom.address)) || "";
  }
}

/** The blocklist that lists the address. Null also if the lookup fails: mail must not be lost for that. */
async function lookUpBlocklists(
  { db, resolver, log }: MxContext,
  address: string,
): Promise<string | null> {
  try {
    const { dnsbl_zones: zones } = await currentSettings(db);
    return zones === "none" ? null : await findListing(resolver, address, zones.split(","));
  } catch (error) {
    log.warn({ err: error }, "blocklist lookup failed");
    return null;
  }
}
